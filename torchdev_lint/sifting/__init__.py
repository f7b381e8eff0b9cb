"""What is left aside of what is found: what a baseline holds, and what is on unchanged lines."""
