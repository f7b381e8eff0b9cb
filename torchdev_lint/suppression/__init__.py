"""Comments that silence findings: what they say, what they silence, and which silence nothing."""
