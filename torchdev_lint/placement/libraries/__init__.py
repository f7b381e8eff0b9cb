"""What libraries do to placement: one file a library, called as what is imported.

A new file in this folder is taken up by being there: its handlers are registered in `registry`.
"""

import importlib
import pkgutil

for _info in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_info.name}")
