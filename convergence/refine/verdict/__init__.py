"""What two sides' outcomes say: relation, counterexample, verdict."""
