(** Some waiting group can always be completed, and so all threads come to their ends. *)

From Coq Require Import List Arith Lia.
Import ListNotations.
From Convergence Require Import Traces Keys Order.

Section Progress.
Variable L : launch.
Implicit Types t u : Thread L.
Variable D : disciplined L.

(** Finitely many threads. *)
Variable threads : list (Thread L).
Hypothesis all_threads : forall t, In t threads.

Let wf : well_formed L := tokens_from_before L D.

(** How far each thread is: it waits before the instance at that place. *)
Definition state : Type := Thread L -> nat.

Definition finished (at_place : state) t : Prop := length (trace L t) <= at_place t.

(** What was executed was executed by whole groups. *)
Definition whole (at_place : state) : Prop :=
  forall t p u q, converged L t p u q -> p < at_place t -> q < at_place u.

(** The group of the instance before which [t] waits is there: all of its members wait, too. *)
Definition complete (at_place : state) t : Prop :=
  at_place t < length (trace L t) /\
  forall u q, converged L t (at_place t) u q -> q = at_place u.

Lemma unfinished_or_all_finished : forall (s : state) l,
  (exists t, In t l /\ s t < length (trace L t)) \/ (forall t, In t l -> finished s t).
Proof.
  induction l as [|t l [[u [I H]]|IH]].
  - right; intros t [].
  - left. exists u. simpl; auto.
  - destruct (lt_dec (s t) (length (trace L t))).
    + left. exists t; simpl; auto.
    + right. intros u [->|I]; [unfold finished; lia|auto].
Qed.

(** Of the unfinished threads in a list, one that waits at a place that is behind nobody's. *)
Lemma first_of_those_that_wait : forall (s : state) l,
  (exists t, In t l /\ s t < length (trace L t)) ->
  exists t, In t l /\ s t < length (trace L t) /\
    forall u, In u l -> s u < length (trace L u) ->
      ~ place_before (place_of L D u (s u)) (place_of L D t (s t)).
Proof.
  intros s. induction l as [|t l IH]; intros [w [I H]]; [destruct I|].
  destruct (unfinished_or_all_finished s l) as [E|N].
  - destruct (IH E) as [m [Im [Hm M]]].
    destruct (lt_dec (s t) (length (trace L t))) as [Ht|Ht].
    + destruct (place_before_dec (place_of L D t (s t)) (place_of L D m (s m))) as [B|B].
      * exists t. split; [simpl; auto|]. split; auto. intros u [->|Iu] Hu.
        -- apply place_before_irreflexive.
        -- intros C. apply (M u Iu Hu). eapply place_before_transitive; eauto.
      * exists m. split; [simpl; auto|]. split; auto. intros u [->|Iu] Hu; auto.
    + exists m. split; [simpl; auto|]. split; auto. intros u [->|Iu] Hu; auto; lia.
  - destruct I as [->|I]; [|specialize (N w I); unfold finished in N; lia].
    exists w. split; [simpl; auto|]. split; auto. intros u [->|Iu] Hu.
    + apply place_before_irreflexive.
    + specialize (N u Iu). unfold finished in N. lia.
Qed.

(** Theorem 4. As long as a thread is not at its end, some group that is waited for is complete: nobody waits
    in a circle. *)
Theorem some_group_is_complete : forall s : state, whole s ->
  (exists t, ~ finished s t) -> exists t, complete s t.
Proof.
  intros s W [w N]. unfold finished in N.
  destruct (first_of_those_that_wait s threads) as [t [_ [H M]]].
  { exists w. split; auto. lia. }
  exists t. split; auto. intros u q C.
  destruct (converged_at L _ _ _ _ C) as [_ [j [_ [Hj _]]]].
  pose proof (at_bound L _ _ _ Hj) as Bq.
  destruct (lt_eq_lt_dec q (s u)) as [[Lt|]|Gt]; auto; exfalso.
  - pose proof (W u q t (s t) (converged_symmetric L wf _ _ _ _ C) Lt). lia.
  - apply (M u); auto; [lia|].
    rewrite (one_place_for_a_class L D _ _ _ _ C). eapply place_grows; eauto.
Qed.

(** To execute a group: each member goes on by one. *)
Lemma option_key_eq_dec : forall a b : option key, {a = b} + {a <> b}.
Proof. decide equality; apply key_eq_dec. Defined.

Definition executed (s : state) t : state :=
  fun u =>
    match at_ L u (s u) with
    | None => s u
    | Some _ => if option_key_eq_dec (key_of L u (s u)) (key_of L t (s t)) then S (s u) else s u
    end.

Lemma executed_goes_on : forall s t, complete s t -> executed s t t = S (s t).
Proof.
  intros s t [H _]. unfold executed.
  destruct (at_ L t (s t)) eqn:E; [|apply nth_error_None in E; lia].
  destruct (option_key_eq_dec (key_of L t (s t)) (key_of L t (s t))); congruence.
Qed.

Lemma executed_not_back : forall s t u, s u <= executed s t u <= S (s u).
Proof.
  intros s t u. unfold executed. destruct (at_ L u (s u)); [|lia].
  destruct (option_key_eq_dec _ _); lia.
Qed.

Lemma executed_within : forall s t u, s u <= length (trace L u) ->
  executed s t u <= length (trace L u).
Proof.
  intros s t u H. unfold executed. destruct (at_ L u (s u)) eqn:E; auto.
  apply at_bound in E. destruct (option_key_eq_dec _ _); lia.
Qed.

(** Whole groups stay whole. *)
Theorem executed_is_whole : forall s t, whole s -> complete s t -> whole (executed s t).
Proof.
  intros s t W [H C] u p v q K Lt.
  pose proof (executed_not_back s t v) as [Bv _].
  destruct (lt_dec p (s u)) as [Lp|Gp]; [pose proof (W _ _ _ _ K Lp); lia|].
  unfold executed in Lt. destruct (at_ L u (s u)) as [i|] eqn:E; [|lia].
  destruct (option_key_eq_dec (key_of L u (s u)) (key_of L t (s t))) as [Q|]; [|lia].
  assert (p = s u) by lia. subst p.
  destruct (converged_at L _ _ _ _ K) as [_ [j [_ [Ej _]]]].
  assert (Et : exists x, at_ L t (s t) = Some x).
  { destruct (at_ L t (s t)) eqn:F; eauto. apply nth_error_None in F. lia. }
  destruct Et as [x Ex].
  assert (T : converged L t (s t) v q).
  { eapply converged_transitive; eauto. eapply equal_keys_are_converged; eauto. }
  pose proof (C v q T) as ->.
  unfold executed. rewrite Ej.
  pose proof (converged_has_equal_keys L wf _ _ _ _ T) as Q'.
  destruct (option_key_eq_dec (key_of L v (s v)) (key_of L t (s t))); [lia|congruence].
Qed.

(** From nothing executed, by one complete group after the other. *)
Inductive reached : state -> Prop :=
| start : reached (fun _ => 0)
| by_a_group s t : reached s -> complete s t -> reached (executed s t).

Lemma reached_is_whole : forall s, reached s -> whole s.
Proof.
  intros s R. induction R; [intros t p u q _ H; lia|]. apply executed_is_whole; auto.
Qed.

Lemma reached_within : forall s, reached s -> forall t, s t <= length (trace L t).
Proof.
  intros s R. induction R; intros u; [lia|]. apply executed_within; auto.
Qed.

(** What is left to execute. *)
Fixpoint left (s : state) (l : list (Thread L)) : nat :=
  match l with
  | [] => 0
  | t :: l => (length (trace L t) - s t) + left s l
  end.

Lemma left_shrinks : forall s t l, complete s t -> In t l -> left (executed s t) l < left s l.
Proof.
  intros s t l C I. assert (Le : forall m, left (executed s t) m <= left s m).
  { induction m as [|u m IH]; simpl; [lia|]. pose proof (executed_not_back s t u). lia. }
  induction l as [|u l IH]; [destruct I|].
  simpl. destruct I as [->|I].
  - rewrite (executed_goes_on s t C). destruct C as [H _]. specialize (Le l). lia.
  - specialize (IH I). pose proof (executed_not_back s t u). lia.
Qed.

(** Theorem 5. Whatever was executed so far, all threads can come to their ends. *)
Theorem all_can_finish : forall s, reached s ->
  exists e, reached e /\ (forall t, finished e t) /\ (forall t, s t <= e t).
Proof.
  intros s. remember (left s threads) as n eqn:N. revert s N.
  induction n as [n IH] using lt_wf_ind. intros s N R.
  destruct (unfinished_or_all_finished s threads) as [[w [I H]]|F].
  - destruct (some_group_is_complete s (reached_is_whole s R)) as [t C].
    { exists w. unfold finished. lia. }
    destruct (IH (left (executed s t) threads)) with (s := executed s t) as [e [Re [Fe Le]]]; auto.
    + subst n. apply left_shrinks; auto.
    + apply by_a_group; auto.
    + exists e. repeat split; auto. intros u.
      pose proof (executed_not_back s t u). specialize (Le u). lia.
  - exists s. repeat split; auto.
Qed.

End Progress.
