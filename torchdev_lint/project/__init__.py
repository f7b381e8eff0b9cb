"""The project a file belongs to: which files its imports mean, and what stands in them."""
