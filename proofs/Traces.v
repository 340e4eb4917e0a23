(** What threads do, reduced to what the rules about tokens read (docs/semantics.md, §2).

    A trace is the sequence of a thread's control intrinsics, controlled operations and entries of called
    functions, in program order. A token, and a call, is named by where the thread executed what it comes
    from: a dynamic instance, the number of a place in the same trace. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

(** A static instance: the number of an instruction. *)
Definition Site := nat.

Inductive item : Type :=
| Launched (s : Site)            (* entry in a launched function *)
| Called (s : Site) (call : nat) (* entry in a called function: which call *)
| Anchor (s : Site) (label : nat) (* D-ANCHOR: a partition is a label for each instance *)
| Loop (s : Site) (token : nat)
| Use (s : Site) (token : nat).  (* any other controlled operation, calls of defined functions among them *)

Definition site (i : item) : Site :=
  match i with
  | Launched s | Called s _ | Anchor s _ | Loop s _ | Use s _ => s
  end.

(** The instance that an instance's convergence depends on: the call, or what produced the token. *)
Definition parent (i : item) : option nat :=
  match i with
  | Launched _ | Anchor _ _ => None
  | Called _ d | Loop _ d | Use _ d => Some d
  end.

Definition is_loop (i : item) : Prop :=
  match i with Loop _ _ => True | _ => False end.

Lemma item_eq_dec : forall a b : item, {a = b} + {a <> b}.
Proof. decide equality; apply Nat.eq_dec. Defined.

(** Threads, with a trace and a launch group for each. *)
Record launch : Type := {
  Thread : Type;
  trace : Thread -> list item;
  group : Thread -> nat
}.

Lemma nth_error_firstn_lt : forall (A : Type) (l : list A) n k,
  k < n -> nth_error (firstn n l) k = nth_error l k.
Proof.
  induction l as [|a l IH]; intros n k H; destruct n, k; simpl; try lia; auto.
  apply IH. lia.
Qed.

Section Launch.
Variable L : launch.
Implicit Types t u : Thread L.

(** What thread [t] executes at place [p]. *)
Definition at_ t (p : nat) : option item := nth_error (trace L t) p.

(** How often [t] has executed what it executes at place [p], up to then: for a loop, the n-th time with that
    token value. *)
Definition beats t (p : nat) (i : item) : nat := count_occ item_eq_dec (firstn (S p) (trace L t)) i.

(** Tokens come from before: S-PRODUCER and S-DOM. *)
Definition well_formed : Prop :=
  forall t p i d, at_ t p = Some i -> parent i = Some d -> d < p.

(** The least relation closed under these rules of docs/semantics.md:

    D-ENTRY: Instances of entry are converged iff their call-site instances are, or, in a launched function, iff
    the environment launched the threads together.

    D-ANCHOR: Instances of anchor are converged by any partition that D-EQ and D-ORDER allow.

    D-LOOP: Instances of loop are converged iff their tokens come from converged instances and both threads
    execute it for the n-th time with that token value.

    D-USE: Instances of any other controlled operation are converged iff their tokens come from converged
    instances. *)
Inductive converged : Thread L -> nat -> Thread L -> nat -> Prop :=
| d_entry_launched t p u q s :
    at_ t p = Some (Launched s) -> at_ u q = Some (Launched s) ->
    group L t = group L u -> converged t p u q
| d_entry_called t p u q s c d :
    at_ t p = Some (Called s c) -> at_ u q = Some (Called s d) ->
    converged t c u d -> converged t p u q
| d_anchor t p u q s l :
    at_ t p = Some (Anchor s l) -> at_ u q = Some (Anchor s l) -> converged t p u q
| d_loop t p u q s c d :
    at_ t p = Some (Loop s c) -> at_ u q = Some (Loop s d) ->
    converged t c u d -> beats t p (Loop s c) = beats u q (Loop s d) -> converged t p u q
| d_use t p u q s c d :
    at_ t p = Some (Use s c) -> at_ u q = Some (Use s d) ->
    converged t c u d -> converged t p u q.

Lemma at_bound : forall t p i, at_ t p = Some i -> p < length (trace L t).
Proof. intros t p i H. apply nth_error_Some. unfold at_ in H. congruence. Qed.

Lemma at_below : forall t p i d, at_ t p = Some i -> d < p -> exists j, at_ t d = Some j.
Proof.
  intros t p i d H Hd. apply at_bound in H. unfold at_.
  destruct (nth_error (trace L t) d) eqn:E; eauto.
  apply nth_error_None in E. lia.
Qed.

(** The count of a loop grows. *)
Lemma beats_grow : forall t p q i,
  p < q -> at_ t q = Some i -> beats t p i < beats t q i.
Proof.
  intros t p q i Hpq Hq. unfold beats, at_ in *. revert p q Hpq Hq.
  induction (trace L t) as [|j l IH]; intros p q Hpq Hq.
  - destruct q; discriminate.
  - destruct q as [|q]; [lia|]. simpl in Hq.
    destruct p as [|p].
    + cbn [firstn count_occ].
      assert (0 < count_occ item_eq_dec (firstn (S q) l) i).
      { apply count_occ_In. apply nth_error_In with (n := q). rewrite nth_error_firstn_lt; auto. }
      destruct (item_eq_dec j i); simpl in *; lia.
    + specialize (IH p q ltac:(lia) Hq).
      cbn [firstn count_occ] in *. destruct (item_eq_dec j i); simpl in *; lia.
Qed.

End Launch.
