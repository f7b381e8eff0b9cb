"""The data sets of Hugging Face, and what makes batches of their samples."""

from __future__ import annotations

DATASET = "datasets.Dataset"
"""What a data set is called, and a dict of several as well: they have the same methods."""

LOADING = frozenset(
    {f"{DATASET}.from_{source}" for source in "csv dict generator json list pandas parquet".split()}
    | {"datasets.load_dataset", "datasets.load_from_disk", "datasets.concatenate_datasets"}
)
"""Functions that give one.

Source: https://huggingface.co/docs/datasets/package_reference/loading_methods
"""

CHANGING = frozenset(
    "cast cast_column class_encode_column filter flatten map remove_columns rename_column "
    "rename_columns select select_columns shard shuffle skip sort take train_test_split "
    "with_format".split()
)
"""Methods that give another one, which is a table on the disk or in the memory of the host.

Source: https://huggingface.co/docs/datasets/package_reference/main_classes
"""

FORMATTING = {
    "set_format": "device",
    "with_format": "device",
    "set_transform": "transform",
    "with_transform": "transform",
}
"""Methods that say how samples are given, and the argument for which they may be elsewhere.

With `type="torch"` they are on the CPU if no device is given.
Source: https://huggingface.co/docs/datasets/use_with_pytorch
"""

SPLITS = frozenset("train test validation valid val dev eval".split())
"""Keys under which a dict of data sets has one; by others a data set gives a column."""

COLLATORS = "transformers.DataCollator"
"""How those classes begin that pad samples and make batches of them, on the host."""
COLLATING = "transformers.default_data_collator"
"""A function that does so.

Source: `transformers/data/data_collator.py`.
"""
