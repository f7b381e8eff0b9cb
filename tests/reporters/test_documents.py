"""SARIF and reviewdog's format are held to their schemas, JUnit's XML to its meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.reporters.conftest import MOVED, NET, Run
from torchdev_lint.rules import ALL_RULES

SCHEMAS = Path(__file__).parent / "schemas"
ARGUMENTS = ([".", "no.py"], ["clean.py"], ["--show-skipped", "--unsafe-fixes", "net.py"])


def assert_valid(document: object, schema: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs the extra `test`")
    rules = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(rules).validate(document)


class TestSarif:
    def log(self, run: Run, *arguments: str) -> dict[str, Any]:
        log: dict[str, Any] = json.loads(run("--output-format", "sarif", *arguments).out)
        return log

    @pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
    def test_it_is_valid(self, run: Run, arguments: list[str]) -> None:
        assert_valid(self.log(run, *arguments), "sarif-schema-2.1.0.json")

    def test_results(self, run: Run) -> None:
        (done,) = self.log(run, ".", "no.py")["runs"]
        found = [(each["ruleId"], each["level"]) for each in done["results"]]
        errors = [("E902", "error"), ("invalid-syntax", "error"), *[("TDL001", "error")] * 2]
        assert found == [*errors, ("TDL002", "warning")]
        assert [rule["id"] for rule in done["tool"]["driver"]["rules"]] == [
            rule.code for rule in ALL_RULES
        ]
        assert done["invocations"] == [{"executionSuccessful": False}]

    def test_places_and_fixes(self, run: Run, folder: Path) -> None:
        (done,) = self.log(run, "net.py")["runs"]
        (result,) = done["results"]
        (place,), (other,) = result["locations"], result["relatedLocations"]
        where = place["physicalLocation"]
        assert where["artifactLocation"] == {"uri": "net.py", "uriBaseId": "SRCROOT"}
        assert done["originalUriBaseIds"]["SRCROOT"]["uri"] == folder.as_uri() + "/"
        region = where["region"]
        assert done["columnKind"] == "unicodeCodePoints"
        assert NET.splitlines()[6][region["startColumn"] - 1 : region["endColumn"] - 1] == (
            "torch.zeros(4)"
        )
        assert other["physicalLocation"]["region"]["startLine"] == 8
        (fix,) = result["fixes"]
        (change,) = fix["artifactChanges"]
        texts = [each["insertedContent"]["text"] for each in change["replacements"]]
        assert texts == [", device=x.device"]
        assert done["invocations"] == [{"executionSuccessful": True}]

    def test_a_file_elsewhere_has_its_whole_name(self, run: Run, folder: Path) -> None:
        apart = folder / "apart"
        apart.mkdir()
        (apart / "a b.py").write_text(MOVED)
        with pytest.MonkeyPatch.context() as patch:
            (folder / "inside").mkdir()
            patch.chdir(folder / "inside")
            (done,) = self.log(run, "../apart")["runs"]
        uris = {
            each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for each in done["results"]
        }
        assert uris == {(apart / "a b.py").as_uri()}


class TestRdjson:
    def document(self, run: Run, *arguments: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(run("--output-format", "rdjson", *arguments).out)
        return document

    @pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
    def test_it_is_valid(self, run: Run, arguments: list[str]) -> None:
        assert_valid(self.document(run, *arguments), "rdf-diagnostic-result.json")

    def test_columns_count_bytes(self, run: Run) -> None:
        (diagnostic,) = self.document(run, "net.py")["diagnostics"]
        assert diagnostic["severity"] == "WARNING"
        line = NET.splitlines()[6].encode()
        place = diagnostic["location"]["range"]
        start, end = place["start"]["column"] - 1, place["end"]["column"] - 1
        assert line[start:end] == b"torch.zeros(4)"
        (suggestion,) = diagnostic["suggestions"]
        assert line[: suggestion["range"]["start"]["column"] - 1].endswith(b"torch.zeros(4")
        assert diagnostic["related_locations"][0]["location"]["range"]["start"]["line"] == 8


class TestJunit:
    def test_a_suite_a_file_and_a_case_a_finding(self, run: Run, folder: Path) -> None:
        result = run("--output-format", "junit", ".", "no.py")
        root = ElementTree.fromstring(result.out)
        assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
            *("testsuites", "5", "3", "2"),
        )
        suites = {Path(suite.get("name", "")).name: suite for suite in root}
        assert list(suites) == ["no.py", "broken.py", "moved.py", "net.py"]
        (case,) = suites["net.py"]
        assert (case.get("name"), case.get("line")) == ("torchdev-lint.TDL002", "7")
        (failure,) = case
        assert failure.tag == "failure"
        assert "net.py:8: meets" in (failure.text or "")
        assert [case[0].tag for case in suites["broken.py"]] == ["error"]

    def test_nothing_found_is_a_test_that_passes(self, run: Run) -> None:
        root = ElementTree.fromstring(run("--output-format", "junit", "clean.py").out)
        assert (root.get("tests"), root.get("failures")) == ("1", "0")
        assert [len(case) for case in root.iter("testcase")] == [0]

    def test_names_that_xml_cannot_hold(self, run: Run, folder: Path) -> None:
        (folder / "a\x1b&<b>\x01.py").write_text(MOVED)
        root = ElementTree.fromstring(run("--output-format", "junit", ".").out)
        assert any("a\\x1b&<b>\\x01.py" in suite.get("name", "") for suite in root)
