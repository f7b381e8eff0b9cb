"""What PyTorch's and its ecosystem's API does to placement: data and its lookup.

Nothing here knows about rules or syntax. `tests/test_catalog.py` and
`tests/test_catalog_operations.py` hold every statement against the installed PyTorch.
"""
