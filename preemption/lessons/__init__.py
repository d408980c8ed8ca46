"""The questions of the notebooks, one module each: texts with figures the package computes."""
