"""Begins a worker in a new interpreter. Run by its path, with the parent's `sys.path` as arguments.

Nothing is imported before that path is in place: the one of a new interpreter may begin with the
folder of this file, or hold the current one.
"""

import sys

sys.path[:] = sys.argv[1:]

import importlib.util  # noqa: E402 - see above
import os  # noqa: E402 - see above

if __name__ == "__main__":
    # The package is this one, also where the path doesn't lead to it.
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    name = os.path.basename(folder)
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)

    import pickle

    from torchdev_lint.processes.worker import serve

    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what is printed must not get among the replies
    serve(requests, replies, pickle.load(requests))
