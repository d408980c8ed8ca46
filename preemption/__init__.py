"""What it costs to evict a request's KV cache, and pictures of it that a reader can move."""
