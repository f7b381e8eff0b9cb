"""Runs programs on an accelerator, real or simulated, to prove what the linter claims.

- `simulated`: the accelerator for machines that have none.
- `run_program`: runs one program and says how it ended.
- `server`, `outcomes`: run many, each in a process of its own, and read what fixtures declare.
- `mixing_table`, `mixing_rows`: what may mix and what raises, operation by operation.
- `witness`: what PyTorch's own `FakeTensorMode` says to the same table.
- `programs`: what any accelerator must be able to do.
"""
