"""A long run of fixes over mutated files: `python -m tests.fuzz.run --help`."""
