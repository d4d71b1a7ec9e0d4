"""A headless Chromium as the tests use it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,1000",
)  # fmt: skip


class Browser:
    """A Chromium with one page at a time."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for option in (*OPTIONS, f"--user-data-dir={profile}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))

    def open(self, path: Path, state: str = "") -> None:
        """Load a page afresh."""
        self.driver.get("about:blank")
        self._log("browser")
        self._log("performance")
        self.driver.get(path.as_uri() + state)

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements, hidden or not."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector
        )
        return found

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector: str) -> None:
        """Go on with the tabulator until an element has the focus."""
        for _ in range(200):
            self.press(Keys.TAB)
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return
        pytest.fail(f"the tabulator never gets to {selector}")

    def state(self) -> str:
        """The part of the address behind the path."""
        return str(self.run("return location.hash"))

    def open_all(self) -> None:
        """Open everything that can be opened."""
        self.run("document.querySelectorAll('details').forEach((one) => { one.open = true; one.fill?.(); })")
        self.run("document.querySelectorAll('.row button').forEach((one) => one.click())")
        self.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def complaints(self) -> list[str]:
        """What the console has."""
        return [str(entry["message"]) for entry in self._log("browser")]

    def requests(self) -> set[str]:
        """The addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        sent = [one["params"] for one in events if one["method"] == "Network.requestWillBeSent"]
        return {one["request"]["url"].partition("#")[0] for one in sent}

    def _log(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.driver.get_log(name)  # type: ignore[no-untyped-call]  # so in selenium
        return found
