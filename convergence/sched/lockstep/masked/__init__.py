"""Code for machines with masks: the structured CFG as a step of its own, and the operations made from it."""
