"""The program as data: types, operands, instructions, modules; and the CFG facts derived from them."""
