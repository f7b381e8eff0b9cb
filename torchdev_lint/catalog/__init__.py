"""What PyTorch's and its ecosystem's API does to placement: data and its lookup.

Nothing here knows about rules or syntax. `tests/catalog/` holds every statement against the
installed PyTorch.
"""
