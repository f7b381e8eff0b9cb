"""A second witness for the mixing table: PyTorch's own `FakeTensorMode`.

It carries fake `cuda` devices through operations, on any build and without a GPU, and refuses to
mix them. It shares no code with the simulated accelerator, and is no GPU either: it doesn't see
what kernels check, and lets a 0-dim host tensor join everywhere. So it is only asked, and where it
disagrees with the table, `reasons.json` says why, or the table is wrong.

- `fake`: asks it about every operation of the table.
- `reasons`: reads why it disagrees, and compares that with what it says.
"""
