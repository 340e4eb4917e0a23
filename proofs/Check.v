(** What `make proofs` asks of each theorem: does it rest on anything that is not proved? *)

From Convergence Require Import Traces Keys Order Progress Example.

Print Assumptions converged_is_equality_of_keys.
Print Assumptions converged_reflexive.
Print Assumptions converged_symmetric.
Print Assumptions converged_transitive.
Print Assumptions no_other_relation.
Print Assumptions converged_keeps_the_rules.
Print Assumptions one_instance_for_each_thread_and_class.
Print Assumptions convergence_before_is_irreflexive.
Print Assumptions convergence_before_is_transitive.
Print Assumptions not_before_the_like.
Print Assumptions some_group_is_complete.
Print Assumptions executed_is_whole.
Print Assumptions all_can_finish.
Print Assumptions example_is_disciplined.
Print Assumptions example_has_an_order.
Print Assumptions example_can_finish.
Print Assumptions crossed_has_a_circle.
