"""What libraries do to placement: one file a library."""
