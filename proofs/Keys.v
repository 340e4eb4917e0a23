(** Keys: two instances are converged exactly if their keys are equal, and a thread has one instance in a class. *)

From Coq Require Import List Arith Lia.
Import ListNotations.
From Convergence Require Import Traces.

(** A key says where an instance's convergence comes from (docs/semantics.md, §2, "Keys"). *)
Inductive key : Type :=
| KLaunched (s : Site) (g : nat)
| KCalled (s : Site) (k : key)
| KAnchor (s : Site) (l : nat)
| KLoop (s : Site) (k : key) (n : nat)
| KUse (s : Site) (k : key).

Lemma key_eq_dec : forall a b : key, {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.

Section Keys.
Variable L : launch.
Implicit Types t u : Thread L.

(** The key of an instance, from the key of its parent alone, the item and its count. *)
Fixpoint key_within (fuel : nat) t (p : nat) : option key :=
  match fuel with
  | 0 => None
  | S f =>
      match at_ L t p with
      | None => None
      | Some i =>
          match i with
          | Launched s => Some (KLaunched s (group L t))
          | Called s c => option_map (KCalled s) (key_within f t c)
          | Anchor s l => Some (KAnchor s l)
          | Loop s d => option_map (fun k => KLoop s k (beats L t p i)) (key_within f t d)
          | Use s d => option_map (KUse s) (key_within f t d)
          end
      end
  end.

Definition key_of t p : option key := key_within (S p) t p.

Hypothesis wf : well_formed L.

Lemma enough_fuel : forall f g t p, p < f -> p < g -> key_within f t p = key_within g t p.
Proof.
  induction f as [|f IH]; intros g t p Hf Hg; [lia|].
  destruct g as [|g]; [lia|]. simpl.
  destruct (at_ L t p) as [i|] eqn:E; auto.
  assert (H : forall d, parent i = Some d -> key_within f t d = key_within g t d).
  { intros d Hd. pose proof (wf t p i d E Hd). apply IH; lia. }
  destruct i as [s|s c|s l|s d|s d]; simpl in H; auto; rewrite (H _ eq_refl); reflexivity.
Qed.

(** The key's equation. *)
Lemma key_of_eq : forall t p i, at_ L t p = Some i ->
  key_of t p =
  match i with
  | Launched s => Some (KLaunched s (group L t))
  | Called s c => option_map (KCalled s) (key_of t c)
  | Anchor s l => Some (KAnchor s l)
  | Loop s d => option_map (fun k => KLoop s k (beats L t p i)) (key_of t d)
  | Use s d => option_map (KUse s) (key_of t d)
  end.
Proof.
  intros t p i E. unfold key_of at 1. cbn [key_within]. rewrite E.
  assert (H : forall d, parent i = Some d -> key_within p t d = key_of t d).
  { intros d Hd. pose proof (wf t p i d E Hd). unfold key_of. apply enough_fuel; lia. }
  destruct i as [s|s c|s l|s d|s d]; simpl in H; auto; rewrite (H _ eq_refl); reflexivity.
Qed.

(** Every instance has a key. *)
Lemma key_total : forall t p i, at_ L t p = Some i -> exists k, key_of t p = Some k.
Proof.
  intros t p. induction p as [p IH] using lt_wf_ind. intros i E.
  rewrite (key_of_eq t p i E).
  assert (H : forall d, parent i = Some d -> exists k, key_of t d = Some k).
  { intros d Hd. pose proof (wf t p i d E Hd).
    destruct (at_below L t p i d E) as [j Hj]; auto. eapply IH; eauto. }
  destruct i as [s|s c|s l|s d|s d]; simpl in H; eauto;
    destruct (H _ eq_refl) as [k Hk]; rewrite Hk; simpl; eauto.
Qed.

Lemma converged_has_equal_keys : forall t p u q,
  converged L t p u q -> key_of t p = key_of u q.
Proof.
  intros t p u q H. induction H;
    rewrite (key_of_eq _ _ _ H), (key_of_eq _ _ _ H0);
    try rewrite IHconverged; try congruence.
  rewrite H2. reflexivity.
Qed.

Ltac has_key E :=
  match type of E with
  | at_ _ ?t ?p = Some ?i => destruct (key_total t p i E) as [? ?]
  end.

Lemma equal_keys_are_converged : forall t p u q i j,
  at_ L t p = Some i -> at_ L u q = Some j ->
  key_of t p = key_of u q -> converged L t p u q.
Proof.
  intros t p. induction p as [p IH] using lt_wf_ind. intros u q i j Ei Ej K.
  rewrite (key_of_eq _ _ _ Ei), (key_of_eq _ _ _ Ej) in K.
  assert (P : forall d, parent i = Some d -> d < p /\ exists x k, at_ L t d = Some x /\ key_of t d = Some k).
  { intros d Hd. pose proof (wf t p i d Ei Hd) as Lt. split; auto.
    destruct (at_below L t p i d Ei Lt) as [x Hx].
    destruct (key_total t d x Hx) as [k Hk]. eauto. }
  assert (Q : forall d, parent j = Some d -> exists x k, at_ L u d = Some x /\ key_of u d = Some k).
  { intros d Hd. pose proof (wf u q j d Ej Hd) as Lt.
    destruct (at_below L u q j d Ej Lt) as [x Hx].
    destruct (key_total u d x Hx) as [k Hk]. eauto. }
  destruct i as [s|s c|s l|s c|s c]; destruct j as [s'|s' d|s' l'|s' d|s' d]; simpl in P, Q;
    try (destruct (P _ eq_refl) as [Lc [x [k [Hx Hk]]]]; rewrite Hk in K);
    try (destruct (Q _ eq_refl) as [y [k' [Hy Hk']]]; rewrite Hk' in K);
    simpl in K; try discriminate; inversion K; subst.
  - eapply d_entry_launched; eauto.
  - eapply d_entry_called; eauto. eapply IH; eauto. congruence.
  - eapply d_anchor; eauto.
  - eapply d_loop; eauto. eapply IH; eauto. congruence.
  - eapply d_use; eauto. eapply IH; eauto. congruence.
Qed.

(** Theorem 1. The least relation closed under the rules is equality of keys. *)
Theorem converged_is_equality_of_keys : forall t p u q i j,
  at_ L t p = Some i -> at_ L u q = Some j ->
  (converged L t p u q <-> key_of t p = key_of u q).
Proof.
  intros; split; eauto using converged_has_equal_keys, equal_keys_are_converged.
Qed.

(** It relates instances of traces, and of one static instance, alone. *)
Lemma converged_at : forall t p u q, converged L t p u q ->
  exists i j, at_ L t p = Some i /\ at_ L u q = Some j /\ site i = site j.
Proof. intros t p u q H. destruct H; do 2 eexists; (split; [eassumption|split; [eassumption|reflexivity]]). Qed.

Theorem converged_reflexive : forall t p i, at_ L t p = Some i -> converged L t p t p.
Proof. intros. eapply equal_keys_are_converged; eauto. Qed.

Theorem converged_symmetric : forall t p u q, converged L t p u q -> converged L u q t p.
Proof.
  intros t p u q H. destruct (converged_at _ _ _ _ H) as [i [j [Hi [Hj _]]]].
  eapply equal_keys_are_converged; eauto. symmetry. apply converged_has_equal_keys; auto.
Qed.

Theorem converged_transitive : forall t p u q v r,
  converged L t p u q -> converged L u q v r -> converged L t p v r.
Proof.
  intros t p u q v r H H'.
  destruct (converged_at _ _ _ _ H) as [i [_ [Hi _]]].
  destruct (converged_at _ _ _ _ H') as [_ [j [_ [Hj _]]]].
  eapply equal_keys_are_converged; eauto.
  rewrite (converged_has_equal_keys _ _ _ _ H). apply converged_has_equal_keys; auto.
Qed.

(** The rules as they are written, each an "iff", of a relation [R] on instances of one static instance. *)
Record keeps_the_rules (R : Thread L -> nat -> Thread L -> nat -> Prop) : Prop := {
  of_one_site : forall t p u q, R t p u q ->
    exists i j, at_ L t p = Some i /\ at_ L u q = Some j /\
      match i, j with
      | Launched s, Launched s' | Called s _, Called s' _ | Anchor s _, Anchor s' _
      | Loop s _, Loop s' _ | Use s _, Use s' _ => s = s'
      | _, _ => False
      end;
  entry_launched : forall t p u q s, at_ L t p = Some (Launched s) -> at_ L u q = Some (Launched s) ->
    (R t p u q <-> group L t = group L u);
  entry_called : forall t p u q s c d, at_ L t p = Some (Called s c) -> at_ L u q = Some (Called s d) ->
    (R t p u q <-> R t c u d);
  anchor : forall t p u q s l m, at_ L t p = Some (Anchor s l) -> at_ L u q = Some (Anchor s m) ->
    (R t p u q <-> l = m);
  loop : forall t p u q s c d, at_ L t p = Some (Loop s c) -> at_ L u q = Some (Loop s d) ->
    (R t p u q <-> R t c u d /\ beats L t p (Loop s c) = beats L u q (Loop s d));
  use : forall t p u q s c d, at_ L t p = Some (Use s c) -> at_ L u q = Some (Use s d) ->
    (R t p u q <-> R t c u d)
}.

(** Any relation that keeps the rules, as "iff", is the least one: they leave no choice. *)
Theorem no_other_relation : forall R, keeps_the_rules R ->
  forall t p u q, R t p u q <-> converged L t p u q.
Proof.
  intros R K t p u q. split.
  - revert u q. induction p as [p IH] using lt_wf_ind. intros u q H.
    destruct (of_one_site R K _ _ _ _ H) as [i [j [Hi [Hj S]]]].
    assert (P : forall d, parent i = Some d -> d < p) by (intros; eapply wf; eauto).
    destruct i as [s|s c|s l|s c|s c]; destruct j as [s'|s' d|s' m|s' d|s' d]; try contradiction; subst;
      simpl in P.
    + eapply d_entry_launched; eauto. apply (proj1 (entry_launched R K _ _ _ _ _ Hi Hj)); auto.
    + eapply d_entry_called; eauto. apply IH; auto. apply (proj1 (entry_called R K _ _ _ _ _ _ _ Hi Hj)); auto.
    + pose proof (proj1 (anchor R K _ _ _ _ _ _ _ Hi Hj) H). subst. eapply d_anchor; eauto.
    + destruct (proj1 (loop R K _ _ _ _ _ _ _ Hi Hj) H). eapply d_loop; eauto.
    + eapply d_use; eauto. apply IH; auto. apply (proj1 (use R K _ _ _ _ _ _ _ Hi Hj)); auto.
  - intros H. induction H.
    + apply (proj2 (entry_launched R K _ _ _ _ _ H H0)); auto.
    + apply (proj2 (entry_called R K _ _ _ _ _ _ _ H H0)); auto.
    + apply (proj2 (anchor R K _ _ _ _ _ _ _ H H0)); auto.
    + apply (proj2 (loop R K _ _ _ _ _ _ _ H H0)); auto.
    + apply (proj2 (use R K _ _ _ _ _ _ _ H H0)); auto.
Qed.

(** And it keeps them: there is such a relation. *)
Theorem converged_keeps_the_rules : keeps_the_rules (converged L).
Proof.
  constructor.
  - intros t p u q H. destruct H; do 2 eexists; (split; [eassumption|split; [eassumption|reflexivity]]).
  - intros t p u q s A B; split; intros H; [|eapply d_entry_launched; eauto].
    inversion H; congruence.
  - intros t p u q s c d A B; split; intros H; [|eapply d_entry_called; eauto].
    inversion H; try congruence.
    all: repeat match goal with E : at_ _ _ _ = Some _, F : at_ _ _ _ = Some _ |- _ =>
      rewrite E in F; inversion F; clear F; subst end; auto.
  - intros t p u q s l m A B; split; intros H.
    + inversion H; congruence.
    + subst. eapply d_anchor; eauto.
  - intros t p u q s c d A B; split; intros H.
    + inversion H; try congruence.
      all: repeat match goal with E : at_ _ _ _ = Some _, F : at_ _ _ _ = Some _ |- _ =>
        rewrite E in F; inversion F; clear F; subst end; auto.
    + destruct H. eapply d_loop; eauto.
  - intros t p u q s c d A B; split; intros H; [|eapply d_use; eauto].
    inversion H; try congruence.
    all: repeat match goal with E : at_ _ _ _ = Some _, F : at_ _ _ _ = Some _ |- _ =>
      rewrite E in F; inversion F; clear F; subst end; auto.
Qed.

(** What S-ENTRY-BLOCK and S-CYCLE-USE give a trace, and D-EQ a partition of anchors: only a loop is executed
    twice with one token. *)
Definition once : Prop :=
  forall t p q i, at_ L t p = Some i -> at_ L t q = Some i -> p <> q -> is_loop i.

(** Theorem 2. At most one instance for each thread and class. *)
Theorem one_instance_for_each_thread_and_class : once ->
  forall t p q, converged L t p t q -> p = q.
Proof.
  intros O t p. induction p as [p IH] using lt_wf_ind. intros q H.
  assert (Same : forall i, at_ L t p = Some i -> at_ L t q = Some i -> ~ is_loop i -> p = q).
  { intros i A B N. destruct (Nat.eq_dec p q) as [|D]; auto. exfalso. apply N. eapply O; eauto. }
  inversion H; subst.
  - eapply Same; eauto.
  - assert (c = d) by (apply IH; auto; eapply wf; eauto; reflexivity). subst. eapply Same; eauto.
  - eapply Same; eauto.
  - assert (c = d) by (apply IH; auto; eapply wf; eauto; reflexivity). subst.
    match goal with E : beats _ _ _ _ = beats _ _ _ _ |- _ => rename E into B end.
    destruct (lt_eq_lt_dec p q) as [[Lt|Eq]|Gt]; auto.
    + pose proof (beats_grow L t p q (Loop s d) Lt ltac:(assumption)). lia.
    + pose proof (beats_grow L t q p (Loop s d) Gt ltac:(assumption)). lia.
  - assert (c = d) by (apply IH; auto; eapply wf; eauto; reflexivity). subst. eapply Same; eauto.
Qed.

End Keys.
