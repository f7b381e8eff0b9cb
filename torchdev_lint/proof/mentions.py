"""What a file names, and where: names, attributes, classes."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

from torchdev_lint.syntax.made_up import beginning_of, may_be_of
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_BEHIND_THE_BACK = frozenset(
    """
    setattr delattr __dict__ __setattr__ __getattribute__ __torch_function__ __new__
    _modules _parameters _buffers
    """.split()
)
"""What can change or answer for attributes without their names being written."""
_REGISTER = frozenset(
    """
    register_parameter register_buffer register_module add_module swap_module set_submodule
    """.split()
)
"""Methods that make something a part of a module, under a name they are given."""
_SETTERS = frozenset({"setattr", "__setattr__"})
"""Functions that give an object an attribute, by its name."""
_SET_BY_TEXT = _REGISTER | {"setattr", "delattr", "__setattr__"}
"""What sets an attribute that is named in a string."""
_QUANTIZES = frozenset({"quantization", "quantize_dynamic"})
_ANSWERS_FOR_ATTRIBUTES = frozenset({"__getattr__", "__getattribute__"})


class Mentions:
    """All names of a file.

    Args:
        syntax: the file's tree.

    Attributes:
        classes: its classes.
        in_classes: what the bodies of classes bind: methods, properties, attributes.
        words: all names and attributes.
        setting: the calls of `setattr`, and of `__setattr__`.
        attributes: all that may be the name of an attribute, strings included.
        imported: the names that imports bind, and all parts of the names of what they import.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._reads: dict[str, list[ast.Name]] = defaultdict(list)
        self._stores: dict[str, list[ast.Attribute]] = defaultdict(list)
        self._stores_by_class: dict[str, dict[ast.ClassDef, list[ast.Attribute]]] = {}
        self._registered: dict[str, list[ast.Call]] = defaultdict(list)
        self._texts: Counter[str] = Counter()
        self._lookups: dict[str, list[ast.Attribute]] = defaultdict(list)
        self._methods: dict[str, list[ast.AST]] = defaultdict(list)
        self.setting: list[ast.Call] = []
        self._beginnings: set[str] = set()  # of names under which parts are registered
        self.imported: set[str] = set()
        self.classes: list[ast.ClassDef] = []
        self._class_names: set[str] = set()
        self.in_classes: set[str] = set()
        self.words: set[str] = set()
        self.attributes: set[str] = set()
        for node in walk(syntax.tree):
            if isinstance(node, ast.Name):
                self._note_name(node)
            elif isinstance(node, ast.Attribute):
                self._note_attribute(node)
            elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self._note_definition(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.attributes.add(node.value)
                self._texts[node.value] += 1
            elif isinstance(node, ast.Call):
                self._note_call(node)
            elif isinstance(node, ast.ImportFrom):
                self.imported.update((node.module or "").split("."))
            elif isinstance(node, ast.alias):
                self.imported.update([*node.name.split("."), node.asname or ""])

    def _note_name(self, node: ast.Name) -> None:
        self.words.add(node.id)
        if isinstance(node.ctx, ast.Load):
            self._reads[node.id].append(node)
        elif isinstance(self._syntax.scope(node), ast.ClassDef):
            self._note_in_class(node.id)

    def _note_attribute(self, node: ast.Attribute) -> None:
        self.words.add(node.attr)
        self.attributes.add(node.attr)
        if not isinstance(node.ctx, ast.Load):
            self._stores[node.attr].append(node)
        else:
            self._lookups[node.attr].append(node)

    def _note_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.words.add(node.name)
        if isinstance(self._syntax.scope(node), ast.ClassDef):
            self._note_in_class(node.name)
            self._methods[node.name].append(node)
        if isinstance(node, ast.ClassDef):
            self.classes.append(node)
            self._class_names.add(node.name)

    def _note_in_class(self, name: str) -> None:
        self.in_classes.add(name)
        self.attributes.add(name)

    def _note_call(self, node: ast.Call) -> None:
        method = getattr(node.func, "attr", "")
        if last_component(node.func) in _SETTERS:
            self.setting.append(node)
        if method not in _REGISTER:
            return
        given = node.args[0] if node.args else None
        if not isinstance(given, ast.Constant):
            self._beginnings.add(beginning_of(given))
        elif method == "register_buffer":
            self._registered[str(given.value)].append(node)

    def reads(self, name: str) -> list[ast.Name]:
        """Return where a name is read."""
        return self._reads[name]

    def lookups(self, attr: str) -> list[ast.Attribute]:
        """Return where an attribute of some object is read."""
        return self._lookups[attr]

    def methods(self, name: str) -> list[ast.AST]:
        """Return the methods of a name, of whatever class."""
        return self._methods[name]

    def stores(self, attr: str) -> list[ast.Attribute]:
        """Return where an attribute of some object is set or deleted."""
        return self._stores[attr]

    def sets_one_of(self, family: str) -> bool:
        """Return whether some attribute is set, or registered, that may be one of a family."""
        set_by_name = (
            n for places in (self._stores, self._registered) for n in places if places[n]
        )
        return any(may_be_of(name, family) for name in set_by_name)

    def stores_in(self, attr: str, owner: ast.ClassDef | None) -> list[ast.Attribute]:
        """Return where methods of a class set or delete an attribute of some object."""
        if attr not in self._stores_by_class:
            by_class: dict[ast.ClassDef, list[ast.Attribute]] = defaultdict(list)
            for store in self._stores[attr]:
                if (method := self._syntax.method(store)) is not None:
                    by_class[method[1]].append(store)
            self._stores_by_class[attr] = by_class
        return [] if owner is None else self._stores_by_class[attr].get(owner, [])

    def registrations(self, name: str) -> list[ast.Call]:
        """Return the calls that register a buffer of some module."""
        return self._registered[name]

    def only_calls(self, function: str) -> bool:
        """Return whether a function is called wherever it is read, with nothing else done."""
        return all(map(self._syntax.is_called, self._reads[function]))

    @cached_property
    def attributes_set(self) -> set[str]:
        """The attributes that are set or deleted somewhere."""
        return {name for name, stores in self._stores.items() if stores}

    @property
    def all_texts(self) -> Iterable[str]:
        """All strings."""
        return self._texts

    @property
    def every_store(self) -> Iterable[ast.Attribute]:
        """Where attributes are set or deleted."""
        return chain.from_iterable(self._stores.values())

    def texts(self, name: str) -> int:
        """Return how many strings are just a name."""
        return self._texts[name]

    def is_in_text(self, attr: str) -> bool:
        """Return whether a string may name an attribute, as it does to register another one."""
        if any(attr.startswith(beginning) for beginning in self._beginnings):
            return True
        can_set = bool(_SET_BY_TEXT & self.words)
        return can_set and self._texts[attr] > len(self._registered[attr])

    def names(self, word: str) -> bool:
        """Return whether a word is a name in the file, or a part of what it imports."""
        return word in self.words or word in self.imported

    @property
    def quantizes(self) -> bool:
        """Whether layers may be exchanged for quantized ones."""
        return bool(_QUANTIZES & (self.words | self.imported))

    def is_called_by_class(self, method: str) -> bool:
        """Return whether a method may be called with any object, since a class is asked for it."""
        return self._texts[method] > 0 or any(
            isinstance(read.value, ast.Name) and read.value.id in self._class_names
            for read in self._lookups[method]
        )

    @property
    def sets_by_name(self) -> bool:
        """Whether attributes may be set without their names being written."""
        by_text = any(self._texts[name] for name in _BEHIND_THE_BACK)
        return bool(_BEHIND_THE_BACK & self.words or by_text or self._stores["__class__"])

    def is_computed(self, attr: str) -> bool:
        """Return whether reading an attribute may run code of the file."""
        return attr in self.in_classes or bool(_ANSWERS_FOR_ATTRIBUTES & self.words)
