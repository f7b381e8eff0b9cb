"""The corpus command finds releases, and tells what came and went."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED

from .__main__ import RECORD, main
from .record import Finding, Reading, compared, dumped, loaded, renewed
from .releases import NoRelease, Release, releases_at

FOUND = Finding("code/a.py", 4, "TDL001")


def wheel(folder: Path, name: str, version: str, text: str) -> Path:
    """Make what an unpacked wheel looks like."""
    about = folder / f"{name}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "code").mkdir()
    (folder / "code" / "a.py").write_text(text)
    return folder


class Corpus:
    """A folder with one wheel in it, and a record of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.wheels = folder / "wheels"
        self.record = folder / "record.jsonl"
        self.code = wheel(self.wheels / "one", "One_Package", "1.0", DISCARDED) / "code" / "a.py"

    def run(self, *options: str) -> tuple[int, list[str]]:
        """Run the command over it."""
        code = main([*options, "--jobs=1", f"--record={self.record}", str(self.wheels)])
        return code, self.capsys.readouterr().out.splitlines()


@pytest.fixture
def corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Corpus:
    return Corpus(tmp_path, capsys)


@pytest.mark.slow
class TestCommand:
    def test_what_is_not_on_record_differs(self, corpus: Corpus) -> None:
        code, out = corpus.run()
        assert code == 1
        assert out[:2] == [
            "one-package 1.0: 1 findings in 1 files, 5 lines (not on record)",
            "  + code/a.py:4: TDL001",
        ]
        assert not corpus.record.exists()

    def test_what_was_written_is_no_difference(self, corpus: Corpus) -> None:
        assert corpus.run("--write")[0] == 0
        code, out = corpus.run()
        assert code == 0
        assert out == [
            "one-package 1.0: 1 findings in 1 files, 5 lines",
            "",
            "1 releases, 1 files, 5 lines",
            "             now    came    went",
            "TDL001         1       0       0",
            "all            1       0       0",
        ]

    def test_the_record_has_facts_and_no_code(self, corpus: Corpus) -> None:
        corpus.run("--write")
        rows = [json.loads(line) for line in corpus.record.read_text().splitlines()]
        package = {"package": "one-package", "version": "1.0"}
        assert rows == [{**package, "files": 1, "lines": 5}, {**package, **FOUND._asdict()}]

    def test_a_line_further_down_is_another_finding(self, corpus: Corpus) -> None:
        corpus.run("--write")
        corpus.code.write_text(DISCARDED.replace("images.to", "print(images)\nimages.to"))
        code, out = corpus.run()
        assert code == 1
        assert out[1:3] == ["  - code/a.py:4: TDL001", "  + code/a.py:5: TDL001"]

    def test_what_went_is_told(self, corpus: Corpus) -> None:
        corpus.run("--write")
        corpus.code.write_text(CLEAN)
        code, out = corpus.run()
        assert code == 1
        assert out[1] == "  - code/a.py:4: TDL001"
        assert out[-2:] == ["TDL001         0       0       1", "all            0       0       1"]

    def test_a_file_that_cannot_be_linted_is_on_record(self, corpus: Corpus) -> None:
        corpus.code.write_text("import torch\nprint 'two'\n")
        assert corpus.run()[1][1] == "  + code/a.py:2: error"

    def test_the_list_can_be_given_to_pip(self, corpus: Corpus) -> None:
        corpus.run("--write")
        assert corpus.run("--list") == (0, ["one-package==1.0"])

    @pytest.mark.parametrize("place", ["missing", "."])
    def test_a_place_without_a_release_is_wrong_usage(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main([place])
        assert ended.value.code == 2


class TestReleases:
    def test_a_folder_may_be_named(self, tmp_path: Path) -> None:
        place = f"them/it==1a2b={tmp_path}"
        assert releases_at([place]) == [Release("them/it", "1a2b", tmp_path)]

    def test_an_sdist(self, tmp_path: Path) -> None:
        (tmp_path / "PKG-INFO").write_text("Name: flows\nVersion: 0.14\n")
        assert releases_at([str(tmp_path)]) == [Release("flows", "0.14", tmp_path)]

    def test_a_commit(self, tmp_path: Path) -> None:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "a.py").write_text(CLEAN)
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "One"]):
            subprocess.run(["git", *command], cwd=tree, check=True)
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=tree, check=True, capture_output=True, text=True
        ).stdout
        assert releases_at([str(tree)]) == [Release("tree", head[:10], tree)]
        (tree / "a.py").write_text(DISCARDED)
        with pytest.raises(NoRelease, match="changes that are in no commit"):
            releases_at([str(tree)])

    def test_the_same_one_twice(self, tmp_path: Path) -> None:
        for folder in ("here", "there"):
            wheel(tmp_path / folder, "one", "1.0", CLEAN)
        with pytest.raises(NoRelease, match=r"one 1\.0 is at"):
            releases_at([str(tmp_path)])


class TestRecord:
    def test_equal_findings_are_counted(self) -> None:
        one = Reading("one", "1.0", 1, 5, (FOUND,))
        two = Reading("one", "1.0", 1, 5, (FOUND, FOUND))
        assert compared(two, [one]).came == (FOUND,)
        assert compared(one, [two]).went == (FOUND,)
        assert not compared(two, [two])

    def test_another_version_is_another_release(self) -> None:
        old, new = Reading("one", "1.0", 1, 5, (FOUND,)), Reading("one", "1.1", 1, 5, (FOUND,))
        difference = compared(new, [old])
        assert difference.before is None
        assert difference.came == (FOUND,)

    def test_renewing_leaves_other_packages(self) -> None:
        other = Reading("other", "1.0", 1, 5, ())
        old, new = Reading("one", "1.0", 1, 5, ()), Reading("one", "1.1", 1, 5, (FOUND,))
        assert renewed([other, old], [new]) == [new, other]

    def test_the_record_that_is_kept_is_in_order(self) -> None:
        record = loaded(RECORD)
        assert record
        assert dumped(record) == RECORD.read_text("utf-8")
        assert record == renewed(record, [])
        assert all(list(reading.findings) == sorted(reading.findings) for reading in record)
