"""Whether what is kept for several functions may be moved by some of them, going by the text.

Functions are run one by one: which of them was called before another is not known. So what a
variable of the module, or an attribute of an object, has kept since before the function at hand was
called is only where it was built if all that the file does with it leaves it there.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property

from torchdev_lint.catalog.builtins import BUILTINS, CONSTRUCTING, FILLING
from torchdev_lint.catalog.methods import MODULE_MOVES
from torchdev_lint.catalog.metrics import METRIC_METHODS, is_of_metrics
from torchdev_lint.catalog.modules import FLUENT_METHODS, HANDS_OUT_PARTS, LEAVES_IN_PLACE
from torchdev_lint.placement.evidence.built_classes import classes_built
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.rebinding_around import may_be_reached_around
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_BY_NAME = frozenset({"setattr", "__dict__", "vars", "globals", "locals"})
"""What leads to variables and attributes that are not written."""

_VIEWS = frozenset({"values", "items", "keys"})
"""Methods of dicts that give what these hold."""
_PASSING = frozenset({"enumerate", "zip", "reversed", "list", "iter"})
"""Functions that give what they are given, or something that gives it."""


_MOST_OTHERS = 50
"""How many uses are asked what they do with what is kept: of more, one may let it leave."""


class Staying:
    """What the functions of a file do with what is kept for them.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._attributes: dict[str, list[ast.Attribute]] = defaultdict(list)
        self._names: dict[str, list[ast.Name]] = defaultdict(list)
        self._methods: dict[str, list[ast.FunctionDef]] = defaultdict(list)
        self._functions: dict[str, list[ast.FunctionDef]] = defaultdict(list)
        self._known: dict[ast.AST, bool] = {}
        self._others: dict[tuple[bool, str, bool], list[ast.Name | ast.Attribute]] = {}
        for node in walk(syntax.tree):
            if isinstance(node, ast.Name):
                self._names[node.id].append(node)
            elif isinstance(node, ast.Attribute):
                self._attributes[node.attr].append(node)
            elif isinstance(node, ast.FunctionDef):
                is_method = syntax.method(node.args) is not None
                (self._methods if is_method else self._functions)[node.name].append(node)

    def stays(
        self,
        made: ast.AST,
        path: str,
        proof: Callable[[], Proof],
        bases: Iterable[Staying] = (),
    ) -> bool:
        """Return whether the file only uses what an expression has made, where that is kept.

        Other files don't get at what a variable of its module keeps.

        Args:
            made: the expression, of a statement of the module or of a method.
            path: where the file lies; empty if it is of no project.
            proof: gives what is proven of the file's names, which few files have to be asked for.
            bases: other files, with classes that the one at hand inherits from.
        """
        if made not in self._known:
            self._known[made] = self._stays(made, path, proof)
        return self._known[made] and all(base._leaves(self._kept_in(made)) for base in bases)

    def _leaves(self, kept: tuple[ast.Name | ast.Attribute | None, bool]) -> bool:
        """Whether this file, with a base of the class, leaves where it is what an object keeps."""
        target, inside = kept
        if not isinstance(target, ast.Attribute):
            return True
        only_uses = self._only_uses_parts if inside else self._only_uses
        uses = self._attributes[target.attr]
        return not self._may_be_looked_up(target.attr) and all(map(only_uses, uses))

    def is_only_used(self, attribute: str, owners: Set[ast.AST], setter: ast.AST) -> bool:
        """Return whether the file only calls what an attribute holds, or asks it something.

        Args:
            attribute: its name, of an object of the class at hand.
            owners: that, and what it inherits from; another class may do more with the attribute
                of its own objects.
            setter: the method that does more with it; constructors may as well.
        """
        nodes = (
            node
            for node in self._attributes[attribute]
            if self._owner_of(node) in {None, *owners}
            and self._syntax.scope(node) is not setter
            and getattr(self._syntax.scope(node), "name", "") not in CONSTRUCTING
        )
        return not self._may_be_looked_up(attribute) and all(map(self._only_uses, nodes))

    def _stays(self, made: ast.AST, path: str, proof: Callable[[], Proof]) -> bool:
        target, inside = self._kept_in(made)
        if target is None or self._is_of_class(target):
            return False
        if isinstance(target, ast.Attribute) and self._may_be_looked_up(target.attr):
            return False
        others = list(self._other_uses(target, inside))
        if isinstance(target, ast.Attribute):
            others = [node for node in others if node is not target]
        if inside:  # what else is done where it is made has been followed
            scope = self._syntax.scope(made)
            others = [node for node in others if self._syntax.scope(node) is not scope]
        if len(others) > _MOST_OTHERS:
            return False
        if others and isinstance(target, ast.Attribute):
            others = [node for node in others if not self._is_namesake(node, target, proof)]
        if others and (home := _class_of(made, path)) is not None:
            others = [node for node in others if not self._asks_for_value(node, home)]
        if others and not (all(map(self._asks_metric, others)) and _is_metric(made, proof())):
            return False
        if not path or not isinstance(target, ast.Name):
            return True
        return not may_be_reached_around(path, target.id)

    def _other_uses(
        self, target: ast.Name | ast.Attribute, inside: bool
    ) -> Sequence[ast.Name | ast.Attribute]:
        """Where more is done with what a variable or an attribute keeps than to use it.

        Args:
            inside: whether it is kept in a list or dict that the variable holds.
        """
        is_name, word = isinstance(target, ast.Name), last_component(target)
        key = is_name, word, inside
        if key not in self._others:
            uses: Iterable[ast.Name | ast.Attribute] = self._attributes[word]
            if is_name:
                uses = [name for name in self._names[word] if self._sees(name)]
            only_uses = self._only_uses_parts if inside else self._only_uses
            self._others[key] = [node for node in uses if not only_uses(node)]
        return self._others[key]

    def _kept_in(self, made: ast.AST) -> tuple[ast.Name | ast.Attribute | None, bool]:
        """What keeps the value of an expression, or of fluent methods called on it.

        With it goes whether that is a list or dict which holds it.
        """
        parent = self._syntax.parent(made)
        while isinstance(parent, ast.Attribute) and parent.attr in FLUENT_METHODS - HANDS_OUT_PARTS:
            call = self._syntax.parent(parent)
            if not isinstance(call, ast.Call):
                return None, False
            made, parent = call, self._syntax.parent(call)
        inside, target = False, None
        while _holds(parent, made):
            assert parent is not None
            made, parent, inside = parent, self._syntax.parent(parent), True
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
            if parent.func.attr in FILLING and made in parent.args:
                inside, target = True, parent.func.value
        elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
        elif isinstance(parent, ast.AnnAssign):
            target = parent.target
        while isinstance(target, ast.Subscript):
            inside, target = True, target.value
        return (target, inside) if isinstance(target, (ast.Name, ast.Attribute)) else (None, False)

    def _is_namesake(
        self, node: ast.Name | ast.Attribute, target: ast.Attribute, proof: Callable[[], Proof]
    ) -> bool:
        """Whether an attribute is that of an object of another class, which only has its name."""
        owners = [self._owner_of(each) for each in (node, target)]
        if None in owners or owners[0] is owners[1]:
            return False
        families = proof().modules.families
        return not families.have_common_heir(*(owner for owner in owners if owner is not None))

    def _owner_of(self, node: ast.Name | ast.Attribute) -> ast.ClassDef | None:
        """The class of whose object, the method's own, an attribute is."""
        found = self._syntax.method(node)
        if found is None or not isinstance(node, ast.Attribute):
            return None
        is_own = isinstance(node.value, ast.Name) and node.value.id in _owner(found[0])
        return found[1] if is_own else None

    def _is_of_class(self, target: ast.Name | ast.Attribute) -> bool:
        """Whether a variable that no function sets is a class's: an attribute of its objects."""
        statement = self._syntax.parent(target) if isinstance(target, ast.Name) else None
        return isinstance(statement and self._syntax.parent(statement), ast.ClassDef)

    def _may_be_looked_up(self, attribute: str) -> bool:
        """Whether some code may get at an attribute without naming it."""
        if not _BY_NAME.isdisjoint(self._names) or "__dict__" in self._attributes:
            return True
        return None in self._looked_up or attribute in self._looked_up

    @cached_property
    def _looked_up(self) -> set[object]:
        """The attributes that `getattr` is asked for; None among them: any of them may be."""
        calls = map(self._syntax.parent, self._names["getattr"])
        asked = [call.args[1] for call in calls if isinstance(call, ast.Call) and call.args[1:]]
        return {each.value if isinstance(each, ast.Constant) else None for each in asked}

    def _sees(self, name: ast.Name) -> bool:
        """Whether a function reads or sets the variable of the module by a name."""
        inner = [s for s in self._syntax.around(name) if isinstance(s, (*FUNCTIONS, ast.Lambda))]
        return bool(inner) and not any(name.id in self._syntax.names_of(scope) for scope in inner)

    def _only_uses_parts(self, node: ast.expr, last: bool = False) -> bool:
        """Whether an expression gives parts of what is kept to code that only uses them.

        Args:
            last: whether these are the last of what each round of a loop gets.
        """
        parent = self._syntax.parent(node)
        if not isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
            return False
        if isinstance(parent, ast.Subscript):
            return parent.value is node and self._only_uses(parent)
        if isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node:
            around = (
                self._syntax.parent(parent) if isinstance(parent, ast.comprehension) else parent
            )
            return around is not None and self._are_only_used(parent.target, around, last)
        if isinstance(parent, ast.Attribute):
            call = self._syntax.parent(parent)
            if parent.attr not in _VIEWS or not isinstance(call, ast.Call):
                return False
            return self._only_uses_parts(call, parent.attr == "items")
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
            name = parent.func.id
            passes = name in _PASSING and self._only_uses_parts(parent, name == "enumerate")
            return passes or name == "len"
        return isinstance(parent, ast.Compare)

    def _are_only_used(self, target: ast.expr, around: ast.AST, last: bool) -> bool:
        """Whether the code of a loop only uses what that goes through."""
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        if not all(isinstance(part, ast.Name) for part in parts):
            return False
        names = (part.id for part in parts[-1 if last else 0 :] if isinstance(part, ast.Name))
        named = (node for name in names for node in self._syntax.named(name, around))
        return all(self._only_uses(node) for node in named if isinstance(node.ctx, ast.Load))

    def _only_uses(
        self, node: ast.Name | ast.Attribute | ast.Subscript, handed: bool = False
    ) -> bool:
        """Whether an expression calls what is kept, asks it something or compares it.

        Or hands it to a function of the file that does no more.

        Args:
            handed: whether it is what such a function was handed.
        """
        parent = self._syntax.parent(node)
        if not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(parent, (ast.Call, ast.keyword)):
            if isinstance(parent, ast.Call) and parent.func is node:
                return True
            return not handed and self._hands_to_user(parent, node)
        if isinstance(parent, ast.Attribute):
            return parent.attr in LEAVES_IN_PLACE or self._just_computes(parent.attr)
        return isinstance(parent, ast.Compare)

    def _hands_to_user(self, parent: ast.Call | ast.keyword, given: ast.expr) -> bool:
        """Whether a function of the file is given something that it calls, or asks for a value.

        Args:
            parent: the call, or the keyword by which it is given.
            given: what is given.
        """
        call = self._syntax.parent(parent) if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call):
            return False
        function = call.func
        is_own = isinstance(function, ast.Attribute) and dotted(function.value) == "self"
        found = (self._methods if is_own else self._functions)[last_component(function)]
        if len(found) != 1 or not (is_own or isinstance(function, ast.Name)):
            return False
        argument = parent if isinstance(parent, ast.keyword) else given
        taker = parameter_for(found[0], call, argument, skipped=int(is_own))
        if taker is None:
            return False
        uses = self._syntax.named(taker.arg, found[0])
        return all(self._only_uses(use, handed=True) for use in uses)

    def _asks_for_value(self, node: ast.Name | ast.Attribute, home: Staying) -> bool:
        """Whether an expression asks for what methods of another file's class only compute.

        Or for what such an object keeps, and only uses that.
        """
        parent = self._syntax.parent(node)
        name = parent.attr if isinstance(parent, ast.Attribute) else ""
        if self._methods[name]:
            return False
        if isinstance(parent, ast.Attribute) and home._keeps(name):
            return self._only_uses(parent)
        return home._just_computes(name)

    def _keeps(self, name: str) -> bool:
        """Whether a name is that of attributes alone that the file's code gives to objects."""
        is_set = any(isinstance(node.ctx, ast.Store) for node in self._attributes[name])
        return is_set and not self._methods[name]

    def _asks_metric(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether an expression asks for what metrics have, and no class of the file."""
        parent = self._syntax.parent(node)
        name = parent.attr if isinstance(parent, ast.Attribute) else ""
        return name in METRIC_METHODS and not self._methods[name]

    def _just_computes(self, name: str) -> bool:
        """Whether a name is that of methods of the file that only ask their objects for values.

        They name no other object that they might hand on, and nothing that moves.
        """
        methods = self._methods[name]
        return bool(methods) and all(map(self._asks_for_values, methods))

    def _asks_for_values(self, method: ast.FunctionDef) -> bool:
        for node in walk(method):
            if isinstance(node, ast.Attribute) and node.attr in MODULE_MOVES:
                return False
            if isinstance(node, ast.Name) and node.id in _owner(method):
                part = self._syntax.parent(node)
                if not isinstance(part, ast.Attribute) or self._is_handed_on(part):
                    return False
        return True

    def _is_handed_on(self, part: ast.Attribute) -> bool:
        """Whether a function of the file's own, or of nobody knows whom, is given something."""
        call = self._syntax.parent(part)
        if not isinstance(call, ast.Call) or call.func is part:
            return False
        return isinstance(call.func, ast.Name) and call.func.id not in BUILTINS


def _holds(holder: ast.AST | None, made: ast.AST) -> bool:
    """Whether an expression gives a list or dict that holds what another one has made."""
    if isinstance(holder, ast.List):
        return made in holder.elts
    if isinstance(holder, ast.Dict):
        return made in holder.values
    if isinstance(holder, ast.ListComp):
        return holder.elt is made
    return isinstance(holder, ast.DictComp) and holder.value is made


def _class_of(made: ast.AST, path: str) -> Staying | None:
    """What the file of another file's class does, if an expression builds one; else None.

    Args:
        path: where the file at hand lies; empty if it is of no project.
    """
    file = parsed_file(path) if path and isinstance(made, ast.expr) else None
    if file is None or not isinstance(made, ast.expr):
        return None
    homes = {home.path: home for home, _ in classes_built(Placed(file, made))}
    is_one_elsewhere = len(homes) == 1 and path not in homes
    return next(iter(homes.values())).derived(_of_file) if is_one_elsewhere else None


def staying_in(file: ParsedFile) -> Staying:
    """Return what the functions of a file do with what is kept for them, made once."""
    return file.derived(_of_file)


def _of_file(file: ParsedFile) -> Staying:
    return Staying(file.syntax)


def _is_metric(made: ast.AST, proof: Proof) -> bool:
    """Whether an expression builds a metric of a library, whose methods leave it where it is."""
    return isinstance(made, ast.Call) and is_of_metrics(proof.values.library(made.func))


def _owner(method: ast.FunctionDef) -> list[str]:
    """The name of the object whose method it is, in its code."""
    return [argument.arg for argument in (*method.args.posonlyargs, *method.args.args)[:1]]
