(** Convergence-before is a strict partial order where traces are as the static rules make them. *)

From Coq Require Import List Arith Lia.
Import ListNotations.
From Convergence Require Import Traces Keys.

(** ** Lists in the order of a dictionary *)

Definition step : Type := (nat * nat)%type.

Definition step_before (a b : step) : Prop := fst a < fst b \/ (fst a = fst b /\ snd a < snd b).

Inductive lex : list step -> list step -> Prop :=
| lex_shorter x l : lex [] (x :: l)
| lex_first x y l m : step_before x y -> lex (x :: l) (y :: m)
| lex_rest x l m : lex l m -> lex (x :: l) (x :: m).

Lemma step_before_irreflexive : forall a, ~ step_before a a.
Proof. intros [a b] [H|[_ H]]; simpl in H; lia. Qed.

Lemma step_before_transitive : forall a b c, step_before a b -> step_before b c -> step_before a c.
Proof. intros [a a'] [b b'] [c c'] H H'. unfold step_before in *. simpl in *. lia. Qed.

Lemma step_before_dec : forall a b, {step_before a b} + {~ step_before a b}.
Proof.
  intros [a a'] [b b']. unfold step_before. simpl.
  destruct (lt_dec a b); [left; auto|].
  destruct (Nat.eq_dec a b); [|right; lia].
  destruct (lt_dec a' b'); [left; auto|right; lia].
Defined.

Lemma lex_irreflexive : forall l, ~ lex l l.
Proof.
  induction l as [|x l IH]; intros H; inversion H; subst; auto.
  eapply step_before_irreflexive; eauto.
Qed.

Lemma lex_transitive : forall l m n, lex l m -> lex m n -> lex l n.
Proof.
  intros l m n H. revert n. induction H; intros n H'; inversion H'; subst;
    try (apply lex_first; eauto using step_before_transitive; fail); try (apply lex_rest; auto; fail).
  - constructor.
  - constructor.
Qed.

Lemma lex_dec : forall l m, {lex l m} + {~ lex l m}.
Proof.
  induction l as [|x l IH]; intros [|y m].
  - right; intros H; inversion H.
  - left; constructor.
  - right; intros H; inversion H.
  - destruct (step_before_dec x y) as [B|B]; [left; apply lex_first; auto|].
    destruct x as [x x'], y as [y y'].
    destruct (Nat.eq_dec x y); [destruct (Nat.eq_dec x' y')|]; subst.
    + destruct (IH m) as [R|R]; [left; apply lex_rest; auto|].
      right; intros H; inversion H; subst; auto.
    + right; intros H; inversion H; subst; auto.
    + right; intros H; inversion H; subst; auto.
Defined.

Lemma lex_longer : forall l x m, lex l (l ++ x :: m).
Proof. induction l; simpl; intros; [apply lex_shorter|apply lex_rest; auto]. Qed.

(** Two lists that part somewhere: what is put behind the first does not matter then. *)
Definition parts (l m : list step) : Prop :=
  exists c x y l' m', l = c ++ x :: l' /\ m = c ++ y :: m' /\ step_before x y.

Lemma parts_lex : forall l m, parts l m -> lex l m.
Proof.
  intros l m [c [x [y [l' [m' [-> [-> H]]]]]]].
  induction c; simpl; [apply lex_first|apply lex_rest]; auto.
Qed.

Lemma parts_longer : forall l m n, parts l m -> parts (l ++ n) m.
Proof.
  intros l m n [c [x [y [l' [m' [-> [-> H]]]]]]].
  exists c, x, y, (l' ++ n), m'. rewrite <- app_assoc. auto.
Qed.

(** ** Traces as the static rules make them *)

Section Order.
Variable L : launch.
Implicit Types t u : Thread L.

(** What the static rules give the traces of a program that keeps them (proofs/README.md says which rule gives
    what). *)
Record disciplined : Type := {
  tokens_from_before : well_formed L;
  only_loops_again : once L;
  (* S-ENTRY-BLOCK, S-ENTRY-FIRST: entry comes first in the launched function. *)
  entry_first : forall t p s, at_ L t p = Some (Launched s) -> p = 0;
  (* S-NEST: who uses a token has done with all tokens that are younger. *)
  nested : forall t d e p q i j, at_ L t p = Some i -> at_ L t q = Some j ->
    parent i = Some d -> parent j = Some e -> d < e -> e < p -> p < q -> False;
  (* S-CYCLE-USE, S-CYCLE-TWICE: instructions that use one token come in one order, the same for all threads;
     only a heart comes again. *)
  rank : Site -> nat;
  ranked : forall t p q i j d, at_ L t p = Some i -> at_ L t q = Some j ->
    parent i = Some d -> parent j = Some d -> p < q ->
    rank (site i) < rank (site j) \/ (i = j /\ is_loop i);
  (* D-ANCHOR: a choice that is always there, each instance of an anchor alone. *)
  anchors_alone : forall t p u q s l,
    at_ L t p = Some (Anchor s l) -> at_ L u q = Some (Anchor s l) -> t = u
}.
End Order.

Section Proof.
Variable L : launch.
Implicit Types t u : Thread L.
Variable D : disciplined L.

Let wf : well_formed L := tokens_from_before L D.
Let key_of := key_of L.

(** ** Where a key stands in the tree of tokens *)

(** Whether a key goes back to the launch. *)
Fixpoint rooted (k : key) : bool :=
  match k with
  | KLaunched _ _ => true
  | KAnchor _ _ => false
  | KCalled _ k | KLoop _ k _ | KUse _ k => rooted k
  end.

Fixpoint path (k : key) : list step :=
  match k with
  | KLaunched _ _ | KAnchor _ _ => []
  | KCalled s k | KUse s k => path k ++ [(rank L D s, 0)]
  | KLoop s k n => path k ++ [(rank L D s, n)]
  end.

Definition is_rooted t p : bool :=
  match key_of t p with Some k => rooted k | None => false end.

Definition path_of t p : list step :=
  match key_of t p with Some k => path k | None => [] end.

Definition count t p (i : item) : nat :=
  match i with Loop _ _ => beats L t p i | _ => 0 end.

Lemma rooted_parent : forall t p i d, at_ L t p = Some i -> parent i = Some d ->
  is_rooted t p = is_rooted t d.
Proof.
  intros t p i d E P. unfold is_rooted, key_of. rewrite (key_of_eq L wf t p i E).
  destruct i as [s|s c|s l|s c|s c]; simpl in P; inversion P; subst;
    destruct (Keys.key_of L t d); reflexivity.
Qed.

Lemma rooted_has_parent : forall t p i, at_ L t p = Some i -> is_rooted t p = true ->
  p <> 0 -> exists d, parent i = Some d /\ d < p.
Proof.
  intros t p i E R N. destruct i as [s|s c|s l|s c|s c].
  - exfalso. apply N. eapply entry_first; eauto.
  - exists c; split; auto. eapply wf; [exact E|reflexivity].
  - unfold is_rooted, key_of in R. rewrite (key_of_eq L wf _ _ _ E) in R. discriminate.
  - exists c; split; auto. eapply wf; [exact E|reflexivity].
  - exists c; split; auto. eapply wf; [exact E|reflexivity].
Qed.

Lemma path_parent : forall t p i d, at_ L t p = Some i -> parent i = Some d ->
  path_of t p = path_of t d ++ [(rank L D (site i), count t p i)].
Proof.
  intros t p i d E P. unfold path_of, key_of. rewrite (key_of_eq L wf t p i E).
  pose proof (wf t p i d E P) as Lt. destruct (at_below L t p i d E Lt) as [j Hj].
  destruct (key_total L wf t d j Hj) as [k Hk].
  destruct i as [s|s c|s l|s c|s c]; simpl in P; inversion P; subst; rewrite Hk; reflexivity.
Qed.

(** Between a token and a use of it: whatever stands there parts from the use. *)
Lemma parts_below : forall t p q j d,
  at_ L t q = Some j -> parent j = Some d -> d < p -> p < q -> is_rooted t p = true ->
  parts (path_of t p) (path_of t q).
Proof.
  intros t p. induction p as [p IH] using lt_wf_ind. intros q j d Ej Pj Lt Lq R.
  destruct (at_below L t q j p Ej Lq) as [i Ei].
  destruct (rooted_has_parent t p i Ei R ltac:(lia)) as [e [Pi Le]].
  rewrite (path_parent t p i e Ei Pi).
  destruct (lt_eq_lt_dec e d) as [[H|H]|H].
  - exfalso. exact (nested L D t e d p q i j Ei Ej Pi Pj H Lt Lq).
  - subst e. rewrite (path_parent t q j d Ej Pj).
    exists (path_of t d), (rank L D (site i), count t p i), (rank L D (site j), count t q j), [], [].
    repeat split; auto. unfold step_before; simpl.
    destruct (ranked L D t p q i j d Ei Ej Pi Pj Lq) as [|[Same Lo]]; [left; auto|right].
    subst j. split; auto. destruct i; try contradiction. simpl. apply beats_grow; auto.
  - apply parts_longer. eapply IH; eauto; try lia. rewrite <- (rooted_parent t p i e Ei Pi); auto.
Qed.

(** A thread goes through the tree of its tokens in the order of a dictionary. *)
Lemma path_grows : forall t q p j, p < q -> at_ L t q = Some j ->
  is_rooted t p = true -> is_rooted t q = true -> lex (path_of t p) (path_of t q).
Proof.
  intros t q. induction q as [q IH] using lt_wf_ind. intros p j Lq Ej Rp Rq.
  destruct (rooted_has_parent t q j Ej Rq ltac:(lia)) as [d [Pj Ld]].
  destruct (at_below L t q j d Ej Ld) as [x Ex].
  assert (Rd : is_rooted t d = true) by (rewrite <- (rooted_parent t q j d Ej Pj); auto).
  destruct (lt_eq_lt_dec p d) as [[H|H]|H].
  - eapply lex_transitive; [eapply IH; eauto|].
    rewrite (path_parent t q j d Ej Pj). apply lex_longer.
  - subst p. rewrite (path_parent t q j d Ej Pj). apply lex_longer.
  - apply parts_lex. eapply parts_below; eauto.
Qed.

(** ** A place for each instance, the same for a class, later along each thread *)

(** The last instance up to [p] that goes back to the launch. *)
Fixpoint shadow t p : nat :=
  if is_rooted t p then p else match p with 0 => 0 | S p' => shadow t p' end.

Lemma shadow_at_most : forall t p, shadow t p <= p.
Proof. intros t p. induction p; simpl; destruct (is_rooted t _); lia. Qed.

Lemma shadow_of_rooted : forall t p, is_rooted t p = true -> shadow t p = p.
Proof. intros t p H. destruct p; simpl; rewrite H; auto. Qed.

Lemma rooted_start : forall t p i, at_ L t p = Some i -> is_rooted t p = true -> is_rooted t 0 = true.
Proof.
  intros t p. induction p as [p IH] using lt_wf_ind. intros i E R.
  destruct (Nat.eq_dec p 0); [subst; auto|].
  destruct (rooted_has_parent t p i E R n) as [d [P Lt]].
  destruct (at_below L t p i d E Lt) as [j Ej].
  eapply IH; eauto. rewrite <- (rooted_parent t p i d E P); auto.
Qed.

Lemma shadow_is_rooted : forall t p, is_rooted t 0 = true -> is_rooted t (shadow t p) = true.
Proof.
  intros t p H. induction p as [|p IH]; simpl.
  - rewrite H; auto.
  - destruct (is_rooted t (S p)) eqn:E; auto.
Qed.

Definition place : Type := (list step * nat)%type.

Definition place_of t p : place := (path_of t (shadow t p), p - shadow t p).

Definition place_before (a b : place) : Prop :=
  lex (fst a) (fst b) \/ (fst a = fst b /\ snd a < snd b).

Lemma place_before_irreflexive : forall a, ~ place_before a a.
Proof. intros a [H|[_ H]]; [eapply lex_irreflexive; eauto|lia]. Qed.

Lemma place_before_transitive : forall a b c, place_before a b -> place_before b c -> place_before a c.
Proof.
  intros [a a'] [b b'] [c c'] [H|[H H']] [G|[G G']]; unfold place_before; simpl in *; subst.
  - left. eapply lex_transitive; eauto.
  - left; auto.
  - left; auto.
  - right. split; auto. lia.
Qed.

Lemma place_grows_by_one : forall t p i, at_ L t (S p) = Some i ->
  place_before (place_of t p) (place_of t (S p)).
Proof.
  intros t p i E. unfold place_of, place_before. cbn [fst snd].
  destruct (is_rooted t (S p)) eqn:R.
  - rewrite (shadow_of_rooted t (S p) R).
    pose proof (rooted_start t (S p) i E R) as R0.
    left. eapply path_grows; eauto.
    + pose proof (shadow_at_most t p). lia.
    + apply shadow_is_rooted; auto.
  - assert (Eq : shadow t (S p) = shadow t p) by (simpl; rewrite R; auto).
    rewrite Eq. right. split; auto. pose proof (shadow_at_most t p). lia.
Qed.

Lemma place_grows : forall t q p j, p < q -> at_ L t q = Some j ->
  place_before (place_of t p) (place_of t q).
Proof.
  intros t q. induction q as [|q IH]; intros p j Lt E; [lia|].
  pose proof (place_grows_by_one t q j E) as H.
  destruct (Nat.eq_dec p q); [subst; auto|].
  destruct (at_below L t (S q) j q E ltac:(lia)) as [x Ex].
  eapply place_before_transitive; eauto. eapply IH; eauto. lia.
Qed.

(** Who does not go back to the launch is alone: an anchor is. *)
Lemma unrooted_is_alone : forall t p u q,
  converged L t p u q -> is_rooted t p = false -> t = u.
Proof.
  intros t p u q H. induction H; intros R.
  - unfold is_rooted, key_of in R. rewrite (key_of_eq L wf _ _ _ H) in R. discriminate.
  - apply IHconverged. rewrite <- (rooted_parent t p _ c H eq_refl); auto.
  - eapply anchors_alone; eauto.
  - apply IHconverged. rewrite <- (rooted_parent t p _ c H eq_refl); auto.
  - apply IHconverged. rewrite <- (rooted_parent t p _ c H eq_refl); auto.
Qed.

Lemma one_place_for_a_class : forall t p u q, converged L t p u q -> place_of t p = place_of u q.
Proof.
  intros t p u q H.
  pose proof (converged_has_equal_keys L wf _ _ _ _ H) as K.
  destruct (is_rooted t p) eqn:R.
  - assert (R' : is_rooted u q = true) by (unfold is_rooted, key_of in *; rewrite <- K; auto).
    unfold place_of. rewrite (shadow_of_rooted _ _ R), (shadow_of_rooted _ _ R'), !Nat.sub_diag.
    unfold path_of, key_of. rewrite K. reflexivity.
  - pose proof (unrooted_is_alone _ _ _ _ H R). subst u.
    rewrite (one_instance_for_each_thread_and_class L wf (only_loops_again L D) t p q H). reflexivity.
Qed.

(** ** Convergence-before *)

(** Each thread's program order, carried across converged-with in both directions, and its transitive closure. *)
Inductive before : Thread L -> nat -> Thread L -> nat -> Prop :=
| program_order t p q j : p < q -> at_ L t q = Some j -> before t p t q
| carried_on t p u q v r : before t p u q -> converged L u q v r -> before t p v r
| carried_back t p u q v r : converged L t p u q -> before u q v r -> before t p v r
| transitive t p u q v r : before t p u q -> before u q v r -> before t p v r.

Lemma before_is_later : forall t p u q, before t p u q -> place_before (place_of t p) (place_of u q).
Proof.
  intros t p u q H. induction H.
  - eapply place_grows; eauto.
  - rewrite <- (one_place_for_a_class _ _ _ _ H0); auto.
  - rewrite (one_place_for_a_class _ _ _ _ H); auto.
  - eapply place_before_transitive; eauto.
Qed.

(** Theorem 3. Convergence-before is a strict partial order (D-ORDER). *)
Theorem convergence_before_is_irreflexive : forall t p, ~ before t p t p.
Proof. intros t p H. eapply place_before_irreflexive. eapply before_is_later; eauto. Qed.

Theorem convergence_before_is_transitive : forall t p u q v r,
  before t p u q -> before u q v r -> before t p v r.
Proof. exact transitive. Qed.

(** And nothing is before what it is converged with. *)
Theorem not_before_the_like : forall t p u q, converged L t p u q -> ~ before t p u q.
Proof.
  intros t p u q H B. apply (place_before_irreflexive (place_of t p)).
  rewrite (one_place_for_a_class _ _ _ _ H) at 2. apply before_is_later; auto.
Qed.

Lemma place_before_dec : forall a b, {place_before a b} + {~ place_before a b}.
Proof.
  intros [a a'] [b b']. unfold place_before; simpl.
  destruct (lex_dec a b); [left; auto|].
  destruct (list_eq_dec (fun x y : step => ltac:(decide equality; apply Nat.eq_dec)) a b).
  - destruct (lt_dec a' b'); [left; auto|right]. intros [H|[_ H]]; auto.
  - right. intros [H|[H _]]; auto.
Defined.

End Proof.
