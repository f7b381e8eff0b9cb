"""Which parts of a file can possibly lead to a finding."""
