"""How the small models that ship were trained: PyTorch, for development only."""
