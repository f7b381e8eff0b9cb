"""What PyTorch Geometric and its satellites have: loaders, data sets, scattering, edges."""

from __future__ import annotations

GRAPH_LOADERS = frozenset(
    {"DataLoader", "DenseDataLoader", "NeighborLoader", "LinkNeighborLoader", "HGTLoader",
     "ClusterLoader", "GraphSAINTSampler", "GraphSAINTNodeSampler", "GraphSAINTEdgeSampler",
     "GraphSAINTRandomWalkSampler", "ShaDowKHopSampler", "NeighborSampler", "RandomNodeLoader"}
)  # fmt: skip
"""Loaders of PyTorch Geometric, last component."""

WHOLE_GRAPH_LOADERS = frozenset({"DataLoader", "DenseDataLoader"})
"""Those that give whole graphs of a data set; the others sample one large graph."""

GRAPH_LOADER_MODULES = ("torch_geometric.loader", "torch_geometric.data")
"""Where they live. Their batches move in place: `Data.to` returns the same object, moved."""

IN_MEMORY_DATASETS = ("torch_geometric.datasets",)
"""Data sets whose elements are graphs on the host, that move in place."""

SCATTERS = ("torch_scatter", "torch_geometric.utils", "torch_sparse", "torch_geometric.nn")
"""Where these live: reductions whose tensors must all be on one device."""

SCATTER_FUNCTIONS = frozenset(
    {"scatter", "scatter_add", "scatter_mean", "scatter_max", "scatter_min", "scatter_sum",
     "scatter_softmax", "segment_csr", "segment_coo", "gather_csr", "spmm", "softmax", "degree",
     "global_add_pool", "global_max_pool", "global_mean_pool"}
)  # fmt: skip

DENSE_BATCH = "to_dense_batch"
"""The function of `torch_geometric.utils` that gives a padded batch, and where it is not padded."""

EDGE_CHANGES = frozenset({"add_remaining_self_loops", "add_self_loops", "remove_self_loops"})
"""Functions of `torch_geometric.utils` that give edges and their weights, each where it was.

Source: `torch_geometric/utils/loop.py` of 2.8.1.
"""
