"""Reads the reports in other people's formats the way their readers do, after they met their schemas."""

from __future__ import annotations

import functools
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import xmlschema

SCHEMAS = Path(__file__).parent / "schemas"
_COMMAND = re.compile(r"::(?P<name>[a-z-]+)(?: (?P<properties>.*?))?::(?P<message>.*)")


def _schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def _unique(_validator: Any, wanted: bool, items: list[Any], _schema: Any) -> Iterator[jsonschema.ValidationError]:  # noqa: FBT001 - jsonschema calls it
    """As jsonschema has it, which compares each with each: a minute for 3,000."""
    if wanted and len({json.dumps(item, sort_keys=True) for item in items}) < len(items):
        yield jsonschema.ValidationError("not unique")


@functools.cache
def _sarif_validator() -> Any:
    return jsonschema.Draft4Validator(_schema("sarif-2.1.0-rtm.5.json"))


@functools.cache
def _stryker_validator() -> Any:
    quick = jsonschema.validators.extend(jsonschema.Draft7Validator, {"uniqueItems": _unique})  # type: ignore[no-untyped-call]  # so in its stubs
    return quick(_schema("mutation-testing-report-schema.json"))


@functools.cache
def _junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))


def sarif(text: str) -> dict[str, Any]:
    """The one run of a valid SARIF log."""
    log = json.loads(text)
    _sarif_validator().validate(log)
    [run] = log["runs"]
    found: dict[str, Any] = run
    return found


def message(found: dict[str, Any]) -> str:
    """A message of SARIF as a viewer shows it: braces are doubled, and there is no placeholder."""
    text = str(found["message"]["text"])
    assert not re.search(r"(?<!\{)(?:\{\{)*\{\d+\}", text), "a placeholder"
    return text.replace("{{", "{").replace("}}", "}")


def stryker(text: str) -> dict[str, Any]:
    """A valid report of mutation-testing-elements."""
    document: dict[str, Any] = json.loads(text)
    _stryker_validator().validate(document)
    return document


def in_javascript(source: str, location: dict[str, Any]) -> str:
    """The part of a source on one line that a program in JavaScript takes a location for: strings of UTF-16 units."""
    assert location["start"]["line"] == location["end"]["line"]
    line: bytes = source.split("\n")[location["start"]["line"] - 1].encode("utf-16-le")
    return line[2 * (location["start"]["column"] - 1) : 2 * (location["end"]["column"] - 1)].decode("utf-16-le")


def gitlab(text: str) -> list[dict[str, Any]]:
    """The findings of a valid code quality report, their fingerprints unique."""
    found: list[dict[str, Any]] = json.loads(text)
    jsonschema.Draft202012Validator(_schema("gitlab-code-quality.schema.json")).validate(found)
    assert len({one["fingerprint"] for one in found}) == len(found)
    return found


def junit(text: str) -> ET.Element:
    """The root of a valid JUnit report, its counts as what is counted."""
    _junit_schema().validate(io.StringIO(text))
    root = ET.fromstring(text)  # noqa: S314 - our own
    for part in (root, *root.iter("testsuite")):
        assert int(part.attrib["tests"]) == len(list(part.iter("testcase")))
        assert int(part.attrib["failures"]) == len(list(part.iter("failure")))
        assert int(part.attrib["errors"]) == len(list(part.iter("error")))
    for suite in root.iter("testsuite"):
        assert int(suite.attrib["skipped"]) == len(list(suite.iter("skipped")))
    return root


def workflow_commands(text: str) -> list[dict[str, str]]:
    """The workflow commands of a text as GitHub's runner reads them; there is no other line in it."""
    found = []
    for line in text.splitlines():
        command = _COMMAND.fullmatch(line)
        assert command, line
        properties = dict(part.split("=", 1) for part in command["properties"].split(","))
        for escape, mark in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            properties = {key: value.replace(escape, mark) for key, value in properties.items()}
        said = command["message"].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        found.append({**properties, "command": command["name"], "message": said})
    return found
