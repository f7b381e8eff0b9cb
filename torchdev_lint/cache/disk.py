"""What lies on the disk now, asked once for a run."""

from __future__ import annotations

from torchdev_lint.project.files import read_content
from torchdev_lint.project.folders import listing_of
from torchdev_lint.project.seen import Content, Listing, Project, State, state_of


class Disk:
    """What lies on the disk: each file and folder as it was when it was asked for first."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._contents: dict[str, Content] = {}
        self._listings: dict[str, Listing] = {}
        self._projects: dict[str, Project] = {}
        self._along: dict[str, Project] = {}
        self._beginnings: dict[str, str] = {}

    def state(self, path: str) -> State:
        """Return the state of a file or folder."""
        known = self._states.get(path)
        if known is None:
            known = self._states[path] = state_of(path)
        return known

    def content(self, path: str) -> Content:
        """Return what can be told of what a file holds."""
        if path not in self._contents:
            # Its state is asked for before it is read, as always: it may change meanwhile.
            self._contents[path] = read_content(path, self.state(path))[0]
        return self._contents[path]

    def listing(self, folder: str) -> Listing:
        """Return what lies in a folder."""
        if folder not in self._listings:
            self._listings[folder] = listing_of(folder)
        return self._listings[folder]

    def project(self, folder: str) -> Project:
        """Return the states of the files of a project that are searched for names."""
        if folder not in self._projects:
            from torchdev_lint.project.users import states_in

            self._projects[folder] = states_in(folder)
        return self._projects[folder]

    def users(self, path: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the files of a project that name something, None if there are too many to tell."""
        from torchdev_lint.project.users import files_that_name

        users = files_that_name(path, names)
        return users.files if users.complete else None

    def along(self, folder: str) -> Project:
        """Return the states of what tells where a project begins that nothing marks."""
        if folder not in self._along:
            from torchdev_lint.project.roots import states_along

            self._along[folder] = states_along(folder)
        return self._along[folder]

    def beginning(self, folder: str) -> str:
        """Return where the project of a folder begins, if nothing marks it."""
        if folder not in self._beginnings:
            from torchdev_lint.project.roots import beginning_of

            self._beginnings[folder] = beginning_of(folder)
        return self._beginnings[folder]
