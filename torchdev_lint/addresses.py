"""Where the project, and the page of each rule, can be read."""

from torchdev_lint.others import OWN

HOME_URL = "https://github.com/torchdev-lint/torchdev-lint"
DOCUMENTATION_URL = "https://torchdev-lint.github.io/torchdev-lint/"


def page_url(code: str) -> str | None:
    """Return where a rule's page can be read, None for a rule of others."""
    if not code.startswith(OWN):
        return None
    return f"{HOME_URL}/blob/main/docs/rules/{code}.md"
