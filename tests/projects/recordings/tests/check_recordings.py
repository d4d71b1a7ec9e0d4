from pathlib import Path

import betamax
import pytest
import requests
import vcr
from inline_snapshot import snapshot

from shop import client

CASSETTES = Path(__file__).parent / "cassettes"
CASSETTES.mkdir(exist_ok=True)  # betamax wants it to be there


def test_vcr():
    with vcr.use_cassette(str(CASSETTES / "fetch.yaml"), record_mode="new_episodes"):
        client.fetch(18)


@pytest.mark.vcr(record_mode="new_episodes")
def test_marker():
    client.with_marker(18)


def test_betamax(monkeypatch):
    session = requests.Session()
    monkeypatch.setattr(requests, "get", session.get)
    with betamax.Betamax(session, cassette_library_dir=str(CASSETTES)).use_cassette("once", record="new_episodes"):
        client.once(18)


def test_twice():
    with vcr.use_cassette(str(CASSETTES / "twice.yaml"), record_mode="all"):
        client.twice(18)


def test_temporary(tmp_path):
    with vcr.use_cassette(str(tmp_path / "new.yaml"), record_mode="once"):
        client.in_temporary_folder(18)


def test_inline():
    assert client.shown(18) == snapshot({"grown": True})


def test_syrupy(snapshot):
    assert client.written(18) == snapshot
