"""How fast the engine is beside other implementations, measured side by side in one run."""
