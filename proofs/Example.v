(** The hypotheses can be kept: two threads in a loop with a heart, one of which goes round twice. And they are
    needed: traces that break one of them have a circle. *)

From Coq Require Import List Arith Lia.
Import ListNotations.
From Convergence Require Import Traces Keys Order Progress.

Definition twice : list item := [Launched 0; Loop 1 0; Use 2 1; Loop 1 0; Use 2 3; Anchor 3 7; Use 4 5; Use 5 0].
Definition once_round : list item := [Launched 0; Loop 1 0; Use 2 1; Anchor 3 8; Use 4 3; Use 5 0].

Definition example : launch :=
  {| Thread := bool; trace := fun t => if t then twice else once_round; group := fun _ => 0 |}.

Ltac places := unfold at_, example in *; simpl in *;
  repeat match goal with
  | t : bool |- _ => destruct t
  | H : nth_error _ ?p = Some _ |- _ => first [is_var p; destruct p; simpl in H; try discriminate | fail]
  | H : Some _ = Some _ |- _ => inversion H; clear H; subst
  | H : None = Some _ |- _ => discriminate
  end; simpl in *.

Lemma example_is_disciplined : disciplined example.
Proof.
  apply (Build_disciplined example) with (rank := fun s => s).
  - intros t p i d E P. places; try discriminate; try lia; inversion P; lia.
  - intros t p q i E F N. places; try discriminate; try (exfalso; lia); simpl; auto.
  - intros t p s E. places; auto.
  - intros t d e p q i j E F P Q H H' H''. places; try discriminate; try lia;
      inversion P; inversion Q; subst; lia.
  - intros t p q i j d E F P Q H. places; try discriminate; try lia;
      inversion P; inversion Q; subst; try lia; auto.
  - intros t p u q s l E F. places; try discriminate; auto.
Qed.

Theorem example_has_an_order : forall t p, ~ before example t p t p.
Proof. exact (convergence_before_is_irreflexive example example_is_disciplined). Qed.

Theorem example_can_finish : exists e, reached example e /\ forall t, finished example e t.
Proof.
  destruct (all_can_finish example example_is_disciplined [true; false]) with (s := fun _ : bool => 0)
    as [e [R [F _]]].
  - intros [|]; simpl; auto.
  - apply start.
  - exists e; auto.
Qed.

(** Two hearts of one token, which S-CYCLE-TWICE forbids: one thread enters the cycle at the first and one at
    the second, and each waits for the other. *)
Definition crossed : launch :=
  {| Thread := bool;
     trace := fun t : bool => if t then [Launched 0; Loop 1 0; Loop 2 0] else [Launched 0; Loop 2 0; Loop 1 0];
     group := fun _ => 0 |}.

Theorem crossed_has_a_circle : before crossed true 1 true 1.
Proof.
  apply transitive with (u := true) (q := 2).
  - apply program_order with (j := Loop 2 0); [lia|reflexivity].
  - apply carried_back with (u := false) (q := 1).
    { eapply d_loop; try reflexivity. eapply d_entry_launched; reflexivity. }
    apply carried_on with (u := false) (q := 2).
    { apply program_order with (j := Loop 1 0); [lia|reflexivity]. }
    eapply d_loop; try reflexivity. eapply d_entry_launched; reflexivity.
Qed.
