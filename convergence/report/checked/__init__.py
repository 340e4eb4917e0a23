"""What was checked while others' tools ran: a whole build's, or a whole test suite's."""
