"""What is no good at the code at hand, and what is in sight there: where facts are noted."""
