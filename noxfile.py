"""The README's test command on every version of Python that is there.

`nox` runs them all, and at the end names those that are missing; `nox -s tests-3.12 -- tests/rules`
runs one, or a part.
"""

import nox

nox.options.error_on_missing_interpreters = False


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Install what the tests need, and run them."""
    session.install("-c", "tests/constraints.txt", "-e", ".[test]")
    session.run("pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)
