"""Where the project, and the page of each rule, can be read."""

HOME_URL = "https://github.com/torchdev-lint/torchdev-lint"
DOCUMENTATION_URL = "https://torchdev-lint.github.io/torchdev-lint/"


def page_url(code: str) -> str:
    """Return where a rule's page can be read."""
    return f"{HOME_URL}/blob/main/docs/rules/{code}.md"
