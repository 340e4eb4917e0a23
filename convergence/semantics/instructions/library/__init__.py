"""Functions of languages, device libraries and targets that kernels call, as models, a module a family."""
