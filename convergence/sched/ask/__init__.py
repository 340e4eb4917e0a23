"""Questions about all executions: is this alignment, this final state, legal?"""
