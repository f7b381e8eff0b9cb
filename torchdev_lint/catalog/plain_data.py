"""What reads plain data: numbers, texts, and lists and dicts of them.

Sources: https://docs.python.org/3/library/json.html#json.JSONDecoder,
https://docs.python.org/3/library/tomllib.html, https://docs.python.org/3/library/csv.html,
https://pyyaml.org/wiki/PyYAMLDocumentation#yaml-tags-and-python-types and
https://omegaconf.readthedocs.io/en/2.3_branch/structured_config.html#simple-types
"""

from __future__ import annotations

PLAIN_READERS = frozenset(
    """
    ast.literal_eval csv.DictReader csv.reader json.load json.loads omegaconf.OmegaConf.create
    omegaconf.OmegaConf.load toml.load toml.loads tomli.load tomli.loads tomllib.load tomllib.loads
    yaml.full_load yaml.load yaml.safe_load
    """.split()
)
"""Functions that read them. YAML that is told to may give objects of any class, arrays at most."""

PLAIN_WRAPPERS = frozenset("dict list tuple sorted Box DotMap EasyDict Munch edict".split())
"""What gives the same data in another form, by its own name."""
PLAIN_METHODS = frozenset("copy get items pop setdefault values".split())
"""Methods that give parts of it, or all."""
