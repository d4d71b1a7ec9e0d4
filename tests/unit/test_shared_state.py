"""What code keeps from one test to the next, and what loading a file does."""

from __future__ import annotations

import pytest

from fencepost.analyzer.shared_state import Keeps, acts_at_load, changed_elsewhere, kept_by, remembering

BOX = "class Box:\n    def __init__(self):\n        self.all = []\n    def put(self, x):\n        self.all.append(x)\n"
INNER = "def f(xs):\n    out = []\n    def add(x):\n        out.append(x)\n    for x in xs:\n        add(x)\n"
MEMO = "def memo(f):\n    seen = {}\n    def inner(x):\n        seen[x] = f(x)\n        return 1\n    return inner\n"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    y = []\n    y.append(x)\n    return y\n",
        "import shop\ndef test(monkeypatch):\n    monkeypatch.setattr(shop, 'LIMIT', 3)\n",
        "import os\ndef test(tmp_path):\n    os.remove(tmp_path / 'x')\n",
        "import re\nWORD = re.compile('x')\ndef f(x):\n    return WORD.match(x)\n",
        BOX,
        INNER,
        "import pytest\nimport shop\ndef test():\n    with pytest.raises(AttributeError):\n        shop.X.y = 1\n",
        "import shop\ndef teardown_function():\n    shop.ALL.clear()\n",
        "def test(cached):\n    assert cached.cache\n",
        "ALL = [1, 2]\ndef f():\n    return sorted(ALL)\n",
    ],
)
def test_what_ends_with_the_test_is_not_kept(text: str) -> None:
    assert kept_by(text) is Keeps.NOTHING


@pytest.mark.parametrize(
    "text",
    [
        "import functools\n@functools.lru_cache(maxsize=None)\ndef f(x):\n    return x\n",
        "from functools import cache\n@cache\ndef f(x):\n    return x\n",
        "from functools import lru_cache\ndef g(x):\n    return x\nf = lru_cache(g)\n",
    ],
)
def test_results_of_calls_are_kept_by_a_decorator(text: str) -> None:
    assert kept_by(text) is Keeps.RESULTS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@functools.lru_cache(maxsize=1)\ndef f():\n    pass\n\n@cache\ndef g():\n    pass\n", {"f", "g"}),
        ("class A:\n    @staticmethod\n    @cache\n    def f():\n        pass\n", {"A.f"}),
        ("def f():\n    @cache\n    def g():\n        pass\n", None),
        ("@memo\ndef f():\n    pass\n", None),
        ("@cache\ndef f():\n    pass\n\ng = lru_cache(len)\n", None),
        ("x = 1\n", set()),
    ],
)
def test_who_keeps_results_is_named_unless_there_may_be_others(text: str, names: set[str] | None) -> None:
    assert remembering(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "ALL = []\ndef f(x):\n    ALL.append(x)\n",
        "ALL = {}\ndef f(x):\n    ALL[x] = 1\n",
        "ALL = {}\ndef f(x):\n    ALL.inner[x].y = 1\n",
        "ALL = {}\ndef f(x):\n    del ALL[x]\n",
        "N = 0\ndef f(x):\n    global N\n    N += 1\n",
        "def f(x, seen={}):\n    seen[x] = 1\n",
        MEMO,
        "class Box:\n    all = {}\n    def put(self, x):\n        self.all[x] = 1\n",
        "class Box:\n    @classmethod\n    def put(cls, x):\n        cls.last = x\n",
        "class Box:\n    pass\ndef f(x):\n    Box.last = x\n",
        "NUMBERS = iter([1, 2])\ndef f():\n    return next(NUMBERS)\n",
        "shop = Shop()\ndef test():\n    shop.sell()\n",
        "import pytest\n@pytest.fixture(scope='module')\ndef box():\n    return []\n",
    ],
)
def test_state_of_the_file_is_kept(text: str) -> None:
    assert kept_by(text) is Keeps.IN_FILE


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import shop\ndef test():\n    shop.LIMIT = 3\n", {"shop"}),
        ("import a.shop as s\ndef test():\n    s.ALL.pop()\n", {"a", "shop"}),
        ("from a.shop import ALL\ndef test():\n    ALL['x'] = 3\n", {"a", "shop", "ALL"}),
        ("import os\ndef test():\n    os.environ['X'] = '1'\n", {"os"}),
        ("import os\ndef test():\n    os.chdir('/')\n", {""}),
        ("import shop\ndef test():\n    setattr(shop, 'LIMIT', 3)\n", {"shop"}),
        ("import pytest\n@pytest.fixture(scope='session')\ndef box():\n    return []\n", {""}),
        ("import pytest\n@pytest.fixture(scope=how)\ndef box():\n    return []\n", {""}),
        ("def broken(:\n", {""}),
    ],
)
def test_what_is_changed_elsewhere_is_told_by_its_modules(text: str, names: set[str]) -> None:
    assert kept_by(text) is Keeps.ELSEWHERE
    assert changed_elsewhere(text) == names


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ('"""About."""\nimport os\nfrom a import b\nX = [1, b]\n\ndef f():\n    os.x()\n', False),
        ("import pytest\npytestmark = pytest.mark.usefixtures('x')\n", False),
        ("from pathlib import Path\nHERE = Path(__file__).parent\nDATA = (HERE / 'x').read_text()\n", False),
        ("import sys\nif sys.version_info > (3, 12):\n    X = 1\nelse:\n    X = 2\n", False),
        ("import shop\nshop.LIMIT = 3\n", True),
        ("import shop\nshop.register('x')\n", True),
        ("import shop\nAPP = shop.make()\n", True),
        ("import shop\n@shop.handler()\ndef f():\n    pass\n", True),
        ("for x in range(3):\n    globals()[f'test_{x}'] = x\n", True),
        ("class A:\n    import shop\n    shop.LIMIT = 3\n", True),
        ("def broken(:\n", True),
    ],
)
def test_loading_acts_where_it_does_more_than_define_names(text: str, acts: bool) -> None:  # noqa: FBT001 - a case
    assert acts_at_load(text) is acts
