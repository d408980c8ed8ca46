"""Matplotlib pictures, one module per subject: their still part, and what moves."""
