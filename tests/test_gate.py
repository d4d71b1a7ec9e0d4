"""The gate on a scripted history of a real repository: the right exit code and the right lines each time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

SHOP = """\
def price(amount):
    if amount >= 10:
        return amount * 9
    return amount * 10


def label(name):
    return name.strip()
"""
TESTS = """\
import pytest

from shop import label, price


@pytest.mark.parametrize(("amount", "cents"), [(9, 90), (10, 90), (11, 99)])
def test_ten_are_cheaper(amount, cents):
    assert price(amount) == cents


def test_a_label_has_no_spaces_around_it():
    assert label(" tea ") == "tea"
"""
CONFTEST = """\
import pytest


@pytest.fixture
def order():
    return 100
"""
SHIPPING = """

def shipping(total):
    if total > 50:
        return 0
    return 5
"""
FAR = """

def test_shipping_is_free_of_much():
    from shop import shipping

    assert shipping(80) == 0
    assert shipping(20) == 5
"""
AT = """

def test_shipping_is_free_above_fifty():
    from shop import shipping

    assert [shipping(50), shipping(51), shipping(49)] == [5, 0, 5]
"""
FAILED, PASSED = 1, 0


@dataclass
class Repository:
    """A project under version control, and the command run in it."""

    folder: Path
    fencepost: Command

    def git(self, *arguments: str) -> str:
        """Run git, and return what it printed."""
        identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout

    def write(self, name: str, text: str) -> None:
        """Put a file there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def commit(self, **files: str) -> None:
        """Write modules, and commit everything."""
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "a step")

    def gate(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """The exit code of the gate, and its report."""
        done = self.fencepost("gate", "-o", "json", *arguments, cwd=self.folder)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def told(self, *arguments: str) -> tuple[int, list[str]]:
        """The exit code, and where and what the failing mutants are."""
        code, document = self.gate(*arguments)
        failing = document["gate"]["failing"]
        return code, [place_of(mutant) for mutant in document["mutants"] if mutant["id"] in failing]

    def refused(self, *arguments: str) -> str:
        """What the gate says where it does not begin."""
        done = self.fencepost("gate", *arguments, cwd=self.folder)
        assert done.returncode == 2, done.stdout + done.stderr
        return done.stderr


def place_of(mutant: dict[str, Any]) -> str:
    return f"{mutant['path']}:{mutant['start']['line']} {mutant['replacement']}"


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith(("GIT_", "GITHUB_", "CI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture(name="shop")
def _shop(tmp_path: Path, fencepost: Command) -> Repository:
    """A shop whose tests notice everything, on the branch `main`, with a branch `work` to work on."""
    folder = tmp_path / "shop"
    folder.mkdir()
    shop = Repository(folder, fencepost)
    shop.git("init", "-q", "-b", "main")
    shop.write("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\n")
    shop.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
    shop.write("tests/test_shop.py", TESTS)
    shop.write("tests/conftest.py", CONFTEST)
    shop.commit(shop=SHOP)
    shop.git("checkout", "-q", "-b", "work")
    return shop


AT_FIFTY = ["shop.py:12 total >= 50", "shop.py:12 total > 51"]


# what is on the changed lines


def test_a_branch_without_a_change_has_nothing_to_judge(shop: Repository) -> None:
    done = shop.fencepost("gate", cwd=shop.folder)
    assert (done.returncode, done.stderr) == (PASSED, "")
    assert "Nothing to judge since main (" in done.stdout


def test_a_changed_comment_has_nothing_to_judge_and_runs_no_test(shop: Repository) -> None:
    shop.write("tests/test_shop.py", "raise RuntimeError('nobody runs me')\n")
    shop.commit()
    shop.git("branch", "-f", "main")
    shop.commit(shop=f"# prices\n{SHOP}")
    assert shop.told() == (PASSED, [])


def test_a_new_threshold_without_a_test_fails_the_gate(shop: Repository) -> None:
    shop.commit(shop=SHOP + SHIPPING)
    code, failing = shop.told()
    assert (code, set(failing)) == (FAILED, {*AT_FIFTY, "shop.py:12 total > 49"})


def test_a_new_threshold_tested_far_from_it_fails_the_gate(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS + FAR)
    shop.commit(shop=SHOP + SHIPPING)
    code, document = shop.gate()
    assert code == FAILED
    assert {mutant["verdict"] for mutant in document["mutants"]} == {"not-infected"}
    assert document["gate"]["broken"] == ["3 mutants on changed lines that no test notices"]
    assert document["gate"]["changed"] == [{"path": "shop.py", "lines": [9, 10, 11, 12, 13, 14]}]


def test_a_new_threshold_tested_at_it_passes_the_gate(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS + AT)
    shop.commit(shop=SHOP + SHIPPING)
    code, document = shop.gate()
    assert code == PASSED
    assert {mutant["verdict"] for mutant in document["mutants"]} == {"killed"}
    assert document["summary"]["score"] == 1


def test_work_that_is_not_committed_or_not_known_to_git_counts(shop: Repository) -> None:
    shop.write("shop.py", SHOP + SHIPPING)
    shop.write("store.py", "def is_many(count):\n    return count > 7\n")
    code, failing = shop.told()
    assert code == FAILED
    assert {one.split()[0] for one in failing} == {"shop.py:12", "store.py:2"}


def test_a_renamed_file_is_judged_by_its_changed_lines_alone(shop: Repository) -> None:
    shop.git("mv", "shop.py", "store.py")
    shop.write("tests/test_shop.py", TESTS.replace("from shop", "from store"))
    shop.commit(store=SHOP.replace("amount >= 10", "amount >= 1_0"))
    code, document = shop.gate()
    assert code == PASSED
    assert {(one["path"], one["start"]["line"]) for one in document["mutants"]} == {("store.py", 2)}


def test_what_a_merge_of_the_base_brought_does_not_count(shop: Repository) -> None:
    shop.git("checkout", "-q", "main")
    shop.commit(store="def is_many(count):\n    return count > 7\n")
    shop.git("checkout", "-q", "work")
    shop.commit(shop=SHOP + SHIPPING)
    shop.git("merge", "-q", "--no-edit", "main")
    code, failing = shop.told()
    assert (code, {one.split()[0] for one in failing}) == (FAILED, {"shop.py:12"})


def test_a_change_of_a_file_mode_has_nothing_to_judge(shop: Repository) -> None:
    (shop.folder / "shop.py").chmod(0o755)
    assert shop.told() == (PASSED, [])


def test_lines_end_as_they_end(shop: Repository) -> None:
    shop.commit(shop=SHOP.replace("\n", "\r\n"))
    shop.git("branch", "-f", "main")
    shop.commit(shop=(SHOP + SHIPPING).replace("\n", "\r\n"))
    code, failing = shop.told()
    assert (code, {one.split()[0] for one in failing}) == (FAILED, {"shop.py:12"})


def test_a_worktree_is_a_clone_like_any_other(shop: Repository) -> None:
    shop.git("worktree", "add", "-q", "../apart", "-b", "apart")
    apart = Repository(shop.folder.parent / "apart", shop.fencepost)
    apart.commit(shop=SHOP + SHIPPING)
    assert apart.told()[0] == FAILED
    assert shop.told() == (PASSED, [])


def test_a_shallow_clone_says_which_command_brings_what_is_missing(shop: Repository) -> None:
    shop.commit(shop=SHOP + SHIPPING)
    shop.git("clone", "-q", "--depth=1", "--no-single-branch", shop.folder.as_uri(), "../shallow")
    shallow = Repository(shop.folder.parent / "shallow", shop.fencepost)
    told = shallow.refused("--base", "origin/main")
    assert "error[no-merge-base]" in told
    assert "git fetch --unshallow" in told
    shallow.git("fetch", "-q", "--unshallow")
    assert shallow.told("--base", "origin/main")[0] == FAILED


def test_the_branch_of_the_remote_is_the_base_where_nobody_names_one(shop: Repository) -> None:
    shop.git("checkout", "-q", "main")
    shop.git("clone", "-q", str(shop.folder), "../clone")
    clone = Repository(shop.folder.parent / "clone", shop.fencepost)
    clone.commit(shop=SHOP + SHIPPING)
    assert clone.gate()[1]["gate"]["since"].startswith("origin/main (")
    assert clone.told()[0] == FAILED


# other ways to name the work


def test_what_is_staged_is_judged_alone_and_refused_where_more_is_changed(shop: Repository) -> None:
    shop.write("shop.py", SHOP + SHIPPING)
    assert shop.told("--staged") == (PASSED, [])
    shop.git("add", "shop.py")
    assert shop.told("--staged")[0] == FAILED
    shop.write("test_more.py", "def test_more():\n    pass\n")
    assert any("not staged: test_more.py (" in note for note in shop.gate("--staged")[1]["notes"])
    shop.write("shop.py", SHOP + SHIPPING + "\n")
    told = shop.refused("--staged")
    assert "error[not-staged]: shop.py is staged" in told
    assert "git stash --keep-index" in told


def test_a_diff_names_the_lines_and_has_to_fit(shop: Repository, tmp_path: Path) -> None:
    shop.commit(shop=SHOP + SHIPPING)
    diff = tmp_path / "work.diff"
    diff.write_text(shop.git("diff", "main"))
    assert shop.told("--diff", str(diff))[0] == FAILED
    shop.write("shop.py", SHOP)
    assert "error[diff-does-not-fit]: the diff does not fit: line 10 of shop.py" in shop.refused("--diff", str(diff))
    diff.write_text("--- a/shop.py\n+++ b/shop.py\n@@ nonsense @@\n+x\n")
    assert "error[" in shop.refused("--diff", str(diff))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--base", "mian"],
            "error[no-such-base]: there is no commit or branch 'mian'\n  hint: known here: main, work",
        ),
        (["--base", "main", "--staged"], "error[two-scopes]"),
        (["--diff", "no.diff"], "error[no-such-diff]: the diff 'no.diff' cannot be read"),
        (["--fail-on", "surivved"], "did you mean 'survived'?"),
        (["--min-score", "101"], "error[bad-policy]"),
        (["--baseline", "none.txt"], "`fencepost baseline write` writes one"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_hint(shop: Repository, arguments: Sequence[str], told: str) -> None:
    assert told in shop.refused(*arguments)


def test_a_changed_file_that_does_not_parse_is_named(shop: Repository) -> None:
    shop.write("shop.py", "def price(:\n")
    assert "error[does-not-parse]: shop.py:1: " in shop.refused()


# what the work took protection from


def test_a_deleted_test_leaves_what_it_protected_unprotected(shop: Repository) -> None:
    shop.git("checkout", "-q", "main")
    assert shop.fencepost("run", cwd=shop.folder).returncode == PASSED
    shop.git("checkout", "-q", "work")
    shop.write("tests/test_shop.py", TESTS.partition("def test_a_label")[0])
    code, document = shop.gate()
    assert code == FAILED
    assert [place_of(one) for one in document["mutants"] if one["id"] in document["gate"]["lost"]] == ["shop.py:8 name"]
    assert document["gate"]["broken"] == ["1 mutant elsewhere that tests killed before, and no longer do"]


@pytest.mark.slow
def test_a_weakened_assertion_is_found_by_running_the_base_on_request(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS.replace("== cents", "> 0"))
    code, document = shop.gate()
    assert (code, document["gate"]["protected"]) == (PASSED, 0)
    assert any("--run-base" in note for note in document["notes"])
    code, document = shop.gate("--run-base")
    assert code == FAILED
    lost = {place_of(one) for one in document["mutants"] if one["id"] in document["gate"]["lost"]}
    assert lost == {"shop.py:2 amount > 10", "shop.py:2 amount >= 9", "shop.py:2 amount >= 11"}
    assert shop.git("status", "--porcelain").split() == ["M", "tests/test_shop.py"]


def kept_on_main(shop: Repository) -> None:
    """A run of `main` is kept, and the branch `work` checked out."""
    shop.git("checkout", "-q", "main")
    assert shop.fencepost("run", cwd=shop.folder).returncode == PASSED
    shop.git("checkout", "-q", "work")


def lost(document: dict[str, Any]) -> set[str]:
    return {place_of(one) for one in document["mutants"] if one["id"] in document["gate"]["lost"]}


@pytest.mark.slow
def test_a_test_that_settings_of_pytest_leave_out_is_as_good_as_deleted(shop: Repository) -> None:
    kept_on_main(shop)
    shop.write("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\n\n[tool.other]\nx = 1\n")
    code, document = shop.gate()
    assert (code, document["gate"]["protected"], document["notes"]) == (PASSED, 0, [])
    shop.write("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\naddopts = '-k ten'\n")
    code, document = shop.gate()
    assert (code, lost(document)) == (FAILED, {"shop.py:8 name"})


@pytest.mark.slow
def test_a_renamed_source_keeps_what_a_deleted_test_protected(shop: Repository) -> None:
    kept_on_main(shop)
    shop.git("mv", "shop.py", "store.py")
    shop.write(
        "tests/test_shop.py",
        TESTS.partition("def test_a_label")[0].replace("from shop import label, price", "from store import price"),
    )
    code, document = shop.gate()
    assert (code, lost(document)) == (FAILED, {"store.py:8 name"})


@pytest.mark.slow
def test_a_kept_run_that_is_older_than_the_base_is_told_as_such(shop: Repository) -> None:
    kept_on_main(shop)
    shop.git("checkout", "-q", "main")
    more = "\n\ndef is_much(total):\n    return total > 7\n"
    test = "\n\ndef test_much():\n    from shop import is_much\n\n    assert not is_much(7)\n    assert is_much(8)\n"
    shop.write("tests/test_shop.py", TESTS + test)
    shop.commit(shop=SHOP + more)
    shop.git("checkout", "-q", "-B", "work")
    shop.write("tests/test_shop.py", TESTS)
    code, document = shop.gate()
    assert code == PASSED
    assert any("the run that is kept is older than its base" in note for note in document["notes"])
    code, document = shop.gate("--run-base")
    assert (code, lost(document)) == (FAILED, {"shop.py:12 total >= 7", "shop.py:12 total > 8", "shop.py:12 total > 6"})


@pytest.mark.slow
def test_a_base_whose_archive_has_no_tests_is_run_with_them(shop: Repository) -> None:
    shop.git("checkout", "-q", "main")
    shop.write(".gitattributes", "tests export-ignore\n")
    shop.commit()
    shop.git("checkout", "-q", "-B", "work")
    shop.write("tests/test_shop.py", TESTS.partition("def test_a_label")[0])
    code, document = shop.gate("--run-base")
    assert (code, lost(document)) == (FAILED, {"shop.py:8 name"})


@pytest.mark.parametrize("options", [[], ["--no-prefix"]])
def test_a_diff_that_deletes_a_test_is_not_passed_without_a_word(
    shop: Repository, tmp_path: Path, options: list[str]
) -> None:
    shop.write("tests/test_more.py", "def test_more():\n    pass\n")
    shop.commit()
    shop.git("rm", "-q", "tests/test_more.py")
    (tmp_path / "work.diff").write_text(shop.git("diff", "HEAD", *options))
    code, document = shop.gate("--diff", str(tmp_path / "work.diff"))
    assert code == PASSED
    assert any(note.startswith("the diff touches tests, and does not say") for note in document["notes"])


def test_what_paths_leave_out_is_no_test(shop: Repository) -> None:
    shop.write("other.py", "def f(x):\n    return x\n")
    shop.commit()
    shop.git("checkout", "-q", "-B", "more")
    shop.write("other.py", "def f(x):\n    return x > 3\n")
    code, document = shop.gate("--base", "work", "shop.py")
    assert (code, document["notes"]) == (PASSED, [])


def test_a_changed_fixture_file_counts_as_a_change_of_the_tests_beside_it(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS + "\n\ndef test_an_order(order):\n    assert price(order) == 900\n")
    shop.git("checkout", "-q", "main")
    shop.commit()
    shop.fencepost("run", cwd=shop.folder)
    shop.git("checkout", "-q", "work")
    shop.git("merge", "-q", "--no-edit", "main")
    shop.write("tests/conftest.py", CONFTEST.replace("100", "50 + 50"))
    code, document = shop.gate()
    assert (code, document["gate"]["lost"]) == (PASSED, [])
    assert document["gate"]["protected"] == 4


# the policy


def test_the_policy_says_what_fails(shop: Repository) -> None:
    shop.commit(shop=SHOP + SHIPPING)
    assert shop.told("--fail-on", "survived") == (PASSED, [])
    assert shop.gate("--fail-on", "survived", "--min-score", "50")[1]["gate"]["broken"] == [
        "a score of 0.0 %, where 50 % is the least"
    ]
    settings = (shop.folder / "pyproject.toml").read_text()
    shop.write("pyproject.toml", settings + "[tool.fencepost.gate.severity]\nFP1 = 'note'\nboundary-at = 'error'\n")
    assert shop.told() == (FAILED, ["shop.py:12 total >= 50"])
    shop.write("pyproject.toml", settings + "[tool.fencepost.gate.severity]\nFP1 = 'warning'\n")
    done = shop.fencepost("gate", cwd=shop.folder)
    assert done.returncode == PASSED
    assert "A warning: its rule does not fail the gate." in done.stdout


@pytest.mark.slow
def test_what_the_budget_leaves_out_is_unknown_and_the_run_incomplete(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS + AT)
    shop.commit(shop=SHOP + SHIPPING)
    code, document = shop.gate("--budget", "0.01")
    assert (code, document["complete"]) == (4, False)
    assert {one["verdict"] for one in document["mutants"]} == {"unknown"}
    assert {one["reason"] for one in document["mutants"]} == {"the budget of seconds was spent before it was tried"}
    assert shop.gate("--budget", "0.01", "--allow-incomplete")[0] == PASSED
    assert shop.gate()[0] == PASSED


# the baseline


@pytest.mark.slow
def test_what_the_baseline_accepts_does_not_fail_and_what_is_gone_is_named(shop: Repository) -> None:
    shop.commit(shop=SHOP + SHIPPING)
    assert "run `fencepost run` first" in shop.fencepost("baseline", "write", cwd=shop.folder).stderr
    shop.fencepost("run", cwd=shop.folder)
    done = shop.fencepost("baseline", "write", cwd=shop.folder)
    assert (done.returncode, done.stdout) == (
        0, "3 accepted in fencepost-baseline.txt; commit it beside the code\n",
    )  # fmt: skip
    code, document = shop.gate()
    assert (code, document["gate"]["failing"], len(document["gate"]["accepted"])) == (PASSED, [], 3)
    shop.write("tests/test_shop.py", TESTS + AT)
    _, document = shop.gate()
    assert (document["gate"]["accepted"], len(document["gate"]["gone"])) == ([], 3)
    shop.write("shop.py", SHOP)
    shop.git("commit", "-qam", "no shipping")
    shop.write("shop.py", f"# prices\n{SHOP}")
    assert len(shop.gate()[1]["gate"]["gone"]) == 3


def test_a_baseline_with_a_conflict_in_it_is_refused_at_its_line(shop: Repository) -> None:
    shop.write("fencepost-baseline.txt", "# accepted\n<<<<<<< work\n")
    assert "error[bad-baseline]: fencepost-baseline.txt:2 " in shop.refused()


def test_an_allow_with_a_reason_is_no_gap(shop: Repository) -> None:
    allow = "if total > 50:  # fencepost: allow[boundary-at, boundary-below, boundary-above] a cent more or less"
    shop.commit(shop=SHOP + SHIPPING.replace("if total > 50:", allow))
    assert shop.told() == (PASSED, [])


# the page


def test_the_page_says_what_failed_and_what_to_do(shop: Repository) -> None:
    shop.write("tests/test_shop.py", TESTS + FAR)
    shop.commit(shop=SHOP + SHIPPING)
    done = shop.fencepost("gate", cwd=shop.folder)
    assert done.returncode == FAILED
    assert "Add one with `total` at 50." in done.stdout
    *_, scope, verdict, following = done.stdout.splitlines()
    assert scope.endswith(": 3 mutants on 6 changed lines, 0 of 3 noticed (0.0 %)")
    assert verdict == "gate failed: 3 mutants on changed lines that no test notices"
    assert following.startswith("next: fencepost show FP10")


def test_few_gaps_of_one_line_are_shown_first(shop: Repository) -> None:
    shop.commit(
        shop=f"{SHOP}\n\ndef compared(a):\n    return [a > 3, a > 9]\n",
        test_compared="from shop import compared\n\ndef test_compared():\n    assert compared(99) == [True, True]\n",
    )
    done = shop.fencepost("gate", cwd=shop.folder)
    whole = shop.fencepost("gate", "--all", cwd=shop.folder)
    assert "3 more gaps: fencepost report --all" in done.stdout
    assert (done.stdout.count("shop.py:12:"), whole.stdout.count("shop.py:12:")) == (1, 4)
