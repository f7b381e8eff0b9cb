"""The names of the formats of output; `reporters/` writes them."""

OUTPUT_FORMATS = (
    *("text", "full", "concise", "grouped", "json", "jsonl", "json-lines", "sarif"),
    *("github", "gitlab", "junit", "pylint", "rdjson"),
)
"""What `--output-format` takes."""
