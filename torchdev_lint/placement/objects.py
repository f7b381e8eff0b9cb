"""The calls in progress, and the objects that they have on their heap."""

from __future__ import annotations

import ast
from dataclasses import field

from torchdev_lint.placement.domain.budget import Budget
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.frame import Frame, SiteKey, site_key
from torchdev_lint.placement.domain.heap import Heap, Obj
from torchdev_lint.placement.domain.values import Instance, Place
from torchdev_lint.records import dataclass


@dataclass(slots=True)
class Built:
    """What expressions have built, and where.

    Args:
        sites: the references of the objects that expressions have built.
        ways: how the code came to where it has built each of them.
        references: these references.
        last: the last one that was given to an object.
    """

    sites: dict[SiteKey, int] = field(default_factory=dict)
    ways: dict[int, tuple[tuple[File, ast.AST | None], ...]] = field(default_factory=dict)
    references: set[int] = field(default_factory=set)
    last: int = 0

    def next_reference(self) -> int:
        """A reference that no object has so far."""
        self.last += 1
        return self.last


@dataclass(slots=True)
class Objects:
    """The calls in progress, and the objects that they have on their heap.

    Args:
        frames: the calls in progress; the module is the first.
        budget: what may still be evaluated.
        built: what expressions have built.
    """

    frames: list[Frame]
    budget: Budget
    built: Built

    @property
    def frame(self) -> Frame:
        """The innermost call in progress."""
        return self.frames[-1]

    @property
    def env(self) -> Env:
        """The current state."""
        return self.frames[-1].env

    @env.setter
    def env(self, env: Env) -> None:
        self.frames[-1].env = env

    def allocate(
        self, obj: Obj, cls: ClassInfo | None, library: str = "", site: ast.AST | None = None
    ) -> Instance:
        """Put a new object on the heap.

        Args:
            site: the expression that makes it; what it makes again of the same class, as in a
                loop, is one object.
        """
        if site is None:
            ref = self.built.next_reference()
            self.frame.reads.made_anew.add(ref)
        else:
            ref = self.reference_at(site_key(site, self.frames, cls))
            self.built.references.add(ref)
        self.put({ref: obj})
        return Instance(ref, cls, library)

    def reference_at(self, key: SiteKey) -> int:
        """The reference of what an expression makes, which it makes again where it is in a loop.

        Args:
            key: tells it from all others.
        """
        ref = self.built.sites.get(key)
        if ref is None:
            ref = self.built.sites[key] = self.built.next_reference()
            self.built.ways[ref] = self.way_to(key[0])
        self.frame.reads.made_anew.add(ref)
        return ref

    def way_to(self, node: ast.AST) -> tuple[tuple[File, ast.AST | None], ...]:
        """The calls in progress that lead to a node, the outermost first, and the node itself.

        Each with the file it stands in.
        """
        files = [frame.file for frame in self.frames]
        sites = [*(frame.site for frame in self.frames[1:]), node]
        return tuple(zip(files, sites, strict=True))

    def built_before(self, site: ast.AST, cls: ClassInfo | None = None) -> Obj | None:
        """The object of a class that an expression has built already, if it still exists."""
        ref = self.built.sites.get(site_key(site, self.frames, cls))
        if ref is None:
            return None
        frame = self.frame
        frame.reads.built.setdefault(ref, ref in frame.entry_heap)
        return frame.env.heap.get(ref)

    def obj(self, instance: Instance) -> Obj:
        """What is known of an object; an empty one where the branch at hand did not make it."""
        self.note_read(instance.ref)
        return self.env.heap.get(instance.ref) or Obj(Place.UNKNOWN)

    def note_read(self, ref: int) -> None:
        """Note that the call at hand depends on what an object was when it began."""
        frame = self.frames[-1]
        objects = frame.reads.objects
        if ref in frame.entry_heap and ref not in objects and ref not in frame.reads.made_anew:
            objects[ref] = frame.entry_heap[ref]

    def update(self, instance: Instance, obj: Obj) -> None:
        """Put a new description of an object on the heap."""
        self.put({instance.ref: obj})

    def put(self, objects: Heap) -> None:
        """Put new descriptions of objects on the heap."""
        env = self.env
        self.budget.copied(len(env.heap) + len(objects))
        env.heap = {**env.heap, **objects}
