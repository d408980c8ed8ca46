"""What a reader drags: one module per notebook."""
