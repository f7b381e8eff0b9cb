"""What the classes of libraries on top of PyTorch are, read from their released sources."""
