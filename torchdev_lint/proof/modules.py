"""What modules certainly are: which layer, of which class, with which parts and parameters."""

from __future__ import annotations

import ast
from collections import defaultdict

from torchdev_lint.catalog.ecosystem import builds_model
from torchdev_lint.catalog.gradients import GIVES_PARAMETERS
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.modules import (
    AFFINE,
    FLUENT_METHODS,
    MODULE_BASES,
    QUANTIZED,
    WITH_PARAMETERS,
    WITH_WEIGHT,
)
from torchdev_lint.proof.building import (
    UsedMethods,
    builds,
    calls_one_of,
    held_by,
    positional,
    set_up_at,
    sets_up,
)
from torchdev_lint.proof.families import Families, words
from torchdev_lint.proof.grounds import MAX_STEPS, Grounds, Steps
from torchdev_lint.proof.stripped import Stripped
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import root_name

_TAKES_CARE = frozenset(
    """
    __getattr__ __getattribute__ __setattr__ __slots__ __dict__ __new__ _modules vars
    children named_children modules named_modules
    """.split()
)
"""Names in a class that say that one more layer may not be nobody's business."""
_MOVES_ITSELF = MOVES | {"_apply", "__getattr__", "__getattribute__", "__new__"}
"""Methods with which a class has its own idea of what moving it means."""
_OF_MODULES = ("torch.nn.", "torchaudio.transforms.", "torchmetrics.")
_CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


class Modules:
    """What is certain about the modules of a file.

    Args:
        grounds: what is known of its names.
    """

    def __init__(self, grounds: Grounds) -> None:
        self._syntax = grounds.syntax
        self._bindings = grounds.bindings
        self._order = grounds.order
        self._mentions = grounds.mentions
        self._values = grounds.values
        self._stripped = Stripped(grounds)
        self._steps = Steps()
        self._exchanged = QUANTIZED if grounds.mentions.quantizes else frozenset()
        self._set_up: dict[ast.ClassDef, bool] = {}
        self._with_parameters: dict[tuple[ast.ClassDef, str], bool] = {}
        self._used = UsedMethods(grounds.syntax.tree)
        self._parts: dict[tuple[ast.ClassDef, str], ast.expr | None] = {}
        self._early: dict[tuple[ast.ClassDef, str], set[str]] = {}
        self._plain: dict[ast.ClassDef, bool] = {}
        self.families = Families(grounds.mentions.classes)
        self._set: dict[str, dict[str, list[ast.Attribute]]] = {}

    def construction(self, node: ast.expr, place: ast.AST | None = None) -> ast.Call | None:
        """The call that has built what an expression is, if it is certainly just that."""
        place = place or node
        with self._steps.one() as allowed:
            if not allowed:
                return None
            if isinstance(node, ast.Name):
                values = self._values.values(node.id, place)
                return self.construction(values[0]) if len(values) == 1 else None
            if isinstance(node, ast.Attribute):
                part = self.part(node, place)
                return self.construction(part) if part is not None else None
            if not isinstance(node, ast.Call):
                return None
            if isinstance(node.func, ast.Attribute) and node.func.attr in FLUENT_METHODS | MOVES:
                return self.construction(node.func.value, place)
            return node

    def class_of_layer(self, node: ast.expr, place: ast.AST | None = None) -> str:
        """The class in `torch.nn` that something certainly is an instance of, or ``."""
        call = self.construction(node, place)
        name = self._values.library(call.func) if call is not None else ""
        return name.removeprefix("torch.nn.") if name.startswith("torch.nn.") else ""

    def has_parameters(self, node: ast.expr, place: ast.AST | None = None) -> bool:
        """Return whether something certainly is a module whose parameters can be gone through."""
        place = place or node
        if (
            GIVES_PARAMETERS & self._mentions.in_classes
            or GIVES_PARAMETERS & self._mentions.attributes_set
        ):
            return False
        if isinstance(node, ast.Name) and (owner := self._owner_of_self(node.id, place)):
            method = self._syntax.method(place)
            return self._class_has_parameters(owner, method[0].name if method else "")
        call = self.construction(node, place)
        if call is None:
            return False
        name = self._values.library(call.func)
        if name in _CONTAINERS:
            with self._steps.one() as allowed:
                may_have = allowed and not self._stripped.containers
                return may_have and any(map(self.has_parameters, held_by(call)))
        if name:
            return self._layer_has_parameters(call, name)
        owner = self._class_named(call.func)
        return owner is not None and self._class_has_parameters(owner)

    def _layer_has_parameters(self, call: ast.Call, name: str) -> bool:
        """Whether a layer of PyTorch has parameters as it is built, and keeps them."""
        if self._stripped.layers:
            return False
        layer = name.removeprefix("torch.nn.")
        if layer not in AFFINE:
            return layer in WITH_PARAMETERS - self._exchanged
        argument, position, default = AFFINE[layer]
        given = len(call.args) > position or any(k.arg in {argument, None} for k in call.keywords)
        starred = any(isinstance(part, ast.Starred) for part in call.args)
        return default and not given and not starred

    def lacks_parameters(self, node: ast.expr, place: ast.AST) -> bool:
        """Return whether something certainly is a module whose classes build nothing."""
        call = self.construction(node, place)
        owner = self._class_named(call.func) if call is not None else None
        if owner is None or not self.is_plain_module(owner):
            return False
        return not any(map(builds, self._lineage(owner)))

    def forward_of(self, node: ast.expr, place: ast.AST) -> ast.FunctionDef | None:
        """Return the `forward` that certainly runs when something of the file is called."""
        call = self.construction(node, place)
        owner = self._class_named(call.func) if call is not None else None
        for info in self._lineage(owner) if owner is not None else ():
            for part in info.body:
                if isinstance(part, ast.FunctionDef) and part.name == "forward":
                    return part
        return None

    def _class_has_parameters(self, owner: ast.ClassDef, method: str = "") -> bool:
        """Whether instances of a class certainly have parameters, each class asked once.

        Args:
            method: the method that asks for them, if it is one of the class; else one is built.
        """
        key = owner, method
        if key not in self._with_parameters:
            self._with_parameters[key] = False  # what follows from itself alone is not certain
            self._with_parameters[key] = self._find_parameters(owner, method)
        return self._with_parameters[key]

    def _find_parameters(self, owner: ast.ClassDef, method: str) -> bool:
        root = self._lineage(owner)[-1]
        bases = {self._values.library(base) for base in root.bases}
        if any(
            base.removeprefix("torch.nn.") in WITH_PARAMETERS - self._exchanged for base in bases
        ):
            is_set_up = sets_up(root) and self._is_set_up_by_heirs(root)
            return is_set_up and not self._stripped.layers
        if not {base.rpartition(".")[2] for base in bases} & MODULE_BASES:
            return False
        for name in self._mentions.attributes_set:
            part = self.part_of(owner, name)
            if part is None or (method and method in self._runs_before(owner, name)):
                continue
            if (
                isinstance(part, ast.Call)
                and self._values.library(part.func) == "torch.nn.Parameter"
            ):
                return True
            if self.has_parameters(part):
                return True
        return False

    def _class_named(self, node: ast.expr) -> ast.ClassDef | None:
        """The class of the file that a name certainly is."""
        if not isinstance(node, ast.Name):
            return None
        bound = self._bindings.reaching(node.id, node)
        only = next(iter(bound)) if len(bound) == 1 else None
        return only if isinstance(only, ast.ClassDef) and not only.decorator_list else None

    def _owner_of_self(self, name: str, place: ast.AST) -> ast.ClassDef | None:
        """The class whose instance a name certainly is: the first argument of its method."""
        bound = self._bindings.reaching(name, place)
        only = next(iter(bound)) if len(bound) == 1 else None
        found = self._syntax.method(only) if isinstance(only, ast.arg) else None
        if found is None or only is not next(iter(positional(found[0])), None):
            return None
        if self._mentions.is_called_by_class(found[0].name):
            return None
        plain = self.is_plain_method(found[0])
        return found[1] if plain and not found[1].decorator_list else None

    def has_weight(self, weight: ast.Attribute, place: ast.AST) -> bool:
        """Return whether the `weight` of something certainly is that of a layer of PyTorch."""
        base = self.inherits(weight, place).removeprefix("torch.nn.")
        layer = self.class_of_layer(weight.value, place) or base
        return layer in WITH_WEIGHT - self._exchanged and not self._is_set_from_outside("weight")

    def inherits(self, node: ast.Attribute, place: ast.AST) -> str:
        """Return the class of a library from which `self.x` has been inherited, or ``."""
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        owner = self._owner_of_self(name, place) if name else None
        if owner is None or self._mentions.is_computed(node.attr):
            return ""
        root = self._lineage(owner)[-1]
        if self._setters(node.attr).get(self.families.of(owner.name)) or len(root.bases) != 1:
            return ""
        is_set_up = sets_up(root) and self._is_set_up_by_heirs(root)
        return self._values.library(root.bases[0]) if is_set_up else ""

    def may_be_exchanged(self, weight: ast.Attribute, place: ast.AST) -> bool:
        """Return whether code out of sight is likely to put another layer in a layer's place."""
        return self.class_of_layer(weight.value, place) in QUANTIZED

    def part(self, node: ast.Attribute, place: ast.AST) -> ast.expr | None:
        """Return what `self.x` certainly was given in `__init__`, None if it may be another."""
        if not isinstance(node.value, ast.Name):
            return None
        owner, method = self._owner_of_self(node.value.id, place), self._syntax.method(place)
        part = self.part_of(owner, node.attr) if owner is not None else None
        if owner is None or part is None or method is None:
            return None
        return None if method[0].name in self._runs_before(owner, node.attr) else part

    def part_of(self, owner: ast.ClassDef, attr: str) -> ast.expr | None:
        """Return what an attribute of a class's instances is given once, whenever one is built."""
        if (owner, attr) not in self._parts:
            self._parts[owner, attr] = self._part_of(owner, attr)
        return self._parts[owner, attr]

    def _part_of(self, owner: ast.ClassDef, attr: str) -> ast.expr | None:
        mentions = self._mentions
        if mentions.is_computed(attr) or mentions.sets_by_name or mentions.is_in_text(attr):
            return None
        given = self._given(owner, attr)
        if given is None:
            return None
        store, value = given
        found = self._syntax.method(store)
        if found is None or found[0].name != "__init__" or found[1] not in self._lineage(owner):
            return None
        init = found[0]
        first = next(iter(positional(init)), None)
        runs = self._syntax.scope(store) is init and self._order.follows(init.body[0], store)
        is_own = first is not None and root_name(store) == first.arg
        runs = runs or self._syntax.statement(store) is init.body[0]
        if not runs or not is_own or not self._is_set_up_by_heirs(found[1]):
            return None
        return value

    def _runs_before(self, owner: ast.ClassDef, attr: str) -> set[str]:
        """The methods that may run while an object is built, before it has one of its parts."""
        if (owner, attr) not in self._early:
            given = self._given(owner, attr)
            found = self._syntax.method(given[0]) if given is not None else None
            assert given is not None and found is not None
            ancestors = self._lineage(found[1])[1:]
            uses: dict[str, set[str]] = defaultdict(set)
            for info in {*self._lineage(owner), *self.families.heirs(owner)}:
                for part in info.body:
                    if isinstance(part, ast.FunctionDef):
                        until = len(part.body)
                        if part is found[0]:
                            until = part.body.index(self._statement_in(part, given[0]))
                        elif part.name == "__init__" and info not in ancestors:
                            until = set_up_at(part)
                        uses[part.name] |= self._used.before(part, until)
            self._early[owner, attr] = reached_from({"__init__"}, uses)
        return self._early[owner, attr]

    def _statement_in(self, function: ast.FunctionDef, node: ast.AST) -> ast.stmt:
        """The statement of a function's body that a node is in."""
        around = (node, *self._syntax.around(node))
        return next(part for part in around if part in function.body)

    def has_part(self, owner: ast.ClassDef, attr: str, place: ast.AST) -> bool:
        """Return whether an attribute is certainly set when a place in `__init__` is passed."""
        if self.part_of(owner, attr) is None:
            return False
        store = self._given(owner, attr)
        assert store is not None
        statement = self._syntax.statement(store[0])
        return (
            statement is place
            or self._order.runs_before(store[0], place)
            or (self._syntax.method(place) != self._syntax.method(store[0]))
        )

    def is_self(self, name: ast.Name) -> bool:
        """Return whether a name is the first argument of the method around it."""
        return self._owner_of_self(name.id, name) is not None

    def is_plain_method(self, method: ast.FunctionDef) -> bool:
        """Return whether a method is called with its object: its decorators are a library's."""
        names = [
            self._values.library(d.func if isinstance(d, ast.Call) else d)
            for d in method.decorator_list
        ]
        return all(names)

    def is_plain_module(self, owner: ast.ClassDef) -> bool:
        """Return whether instances of a class are modules like others, as far as can be seen.

        All bases are in sight or known, its heirs set it up, and nothing answers for its
        attributes or goes through all that it consists of.
        """
        if owner not in self._plain:
            self._plain[owner] = self._is_plain(owner)
        return self._plain[owner]

    def _is_plain(self, owner: ast.ClassDef) -> bool:
        lineage = self._lineage(owner)
        base = self._values.library(lineage[-1].bases[0]) if len(lineage[-1].bases) == 1 else ""
        last = base.rpartition(".")[2]
        named = {word for info in lineage for word in words(info)}
        names = {getattr(part, "name", "") for info in lineage for part in info.body}
        return (
            last in MODULE_BASES
            and not any(info.decorator_list or info.keywords for info in lineage)
            and not _TAKES_CARE & (named | names)
            and self._is_set_up_by_heirs(owner)
        )

    def is_moved_like_any(self, call: ast.Call) -> bool:
        """Return whether a call gives a module whose `to` only moves it, and gives it back."""
        name = self._values.library(call.func)
        if name:
            return name.startswith(_OF_MODULES) or builds_model(name)
        owner = self._class_named(call.func)
        if owner is None:
            return False
        lineage = self._lineage(owner)
        bases = [self._values.library(base) for base in lineage[-1].bases]
        names = {getattr(part, "name", "") for info in lineage for part in info.body}
        return (
            bases == ["torch.nn.Module"]
            and not any(info.decorator_list or info.keywords for info in lineage)
            and not (_MOVES_ITSELF & names)
            and not any(map(self._mentions.stores, MOVES))
        )

    def is_used_within(self, init: ast.FunctionDef, owner: ast.ClassDef, last: ast.stmt) -> bool:
        """Return whether `__init__` calls its object's own methods up to a statement."""
        methods = {getattr(part, "name", "") for info in self._lineage(owner) for part in info.body}
        return calls_one_of(init, methods, last)

    def _given(self, owner: ast.ClassDef, attr: str) -> tuple[ast.expr, ast.expr] | None:
        """The only place that may set an attribute of a class's instances, and its value."""
        mine = self.stores_of(owner, attr)
        if len(mine) != 1:
            return None
        parent = self._syntax.parent(mine[0])
        if isinstance(parent, ast.Call):
            return (parent.func, parent.args[1]) if len(parent.args) > 1 else None
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            return mine[0], parent.value
        if isinstance(parent, ast.AnnAssign) and parent.value is not None:
            return mine[0], parent.value
        return None

    def stores_of(self, owner: ast.ClassDef, attr: str) -> list[ast.Attribute]:
        """Return the places that may set an attribute of a class's instances."""
        setters = self._setters(attr)
        return [*setters.get(self.families.of(owner.name), ()), *setters.get("", ())]

    def _setters(self, attr: str) -> dict[str, list[ast.Attribute]]:
        """Where an attribute is set, by the families of those that have it; `` for anybody."""
        if attr not in self._set:
            found = self._set[attr] = defaultdict(list)
            for node in (*self._mentions.stores(attr), *self._mentions.registrations(attr)):
                target = node.func if isinstance(node, ast.Call) else node
                assert isinstance(target, ast.Attribute)
                name = target.value.id if isinstance(target.value, ast.Name) else ""
                owner = self._owner_of_self(name, target) if name else None
                found[self.families.of(owner.name) if owner is not None else ""].append(target)
        return self._set[attr]

    def _is_set_from_outside(self, attr: str) -> bool:
        """Whether anybody but the methods of a class may set an attribute of an object."""
        return bool(self._setters(attr).get("")) or self._mentions.is_in_text(attr)

    def _lineage(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and its ancestors in the file, as long as each has a single base."""
        found = [owner]
        while len(found[-1].bases) == 1 and len(found) < MAX_STEPS:
            base = self._class_named(found[-1].bases[0])
            if base is None:
                break
            found.append(base)
        return found

    def _is_set_up_by_heirs(self, owner: ast.ClassDef) -> bool:
        """Whether the classes that inherit from one call its `__init__` in theirs."""
        if owner not in self._set_up:
            heirs = [heir for heir in self.families.heirs(owner) if heir is not owner]
            self._set_up[owner] = all(map(sets_up, heirs))
        return self._set_up[owner]
