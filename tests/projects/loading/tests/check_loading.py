"""One way to load code after the other; what each module must come to stands beside its comparison."""

import importlib
import importlib.machinery
import importlib.util
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_folder_of_the_pythonpath_setting():
    from on_the_path import adult

    assert adult(18)


def test_nobody_asserts():
    import nobody_asserts

    nobody_asserts.adult(18)


def test_a_package_below_src():
    from deep import adult

    assert adult(18)


def test_a_single_module_below_src():
    import single

    assert single.adult(18)


def test_a_package_without_init():
    from spaces.inner.named import adult

    assert adult(18)


def loaded_from(path, name="an_invented_name"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_under_an_invented_name():
    assert loaded_from(ROOT / "parts" / "by_path.py").adult(18)


def test_a_constant_of_a_file_under_an_invented_name():
    assert loaded_from(ROOT / "parts" / "by_path_cold.py", "another_name").FULL


def test_a_file_by_its_loader():
    loader = importlib.machinery.SourceFileLoader("some_name", str(ROOT / "parts" / "by_loader.py"))
    spec = importlib.util.spec_from_loader("some_name", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    assert module.adult(18)


def test_a_module_that_is_run_in_this_process(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["runnable", "18"])
    runpy.run_module("runnable", run_name="__main__")
    assert capsys.readouterr().out == "True\n"


def test_a_package_that_is_run_in_another_process():
    done = subprocess.run(
        [sys.executable, "-m", "deep", "18"], cwd=ROOT / "src", capture_output=True, text=True, check=True
    )
    assert done.stdout == "True True\n"


def test_a_module_under_its_one_name():
    import flat.twice
    import flat.twice_unseen

    assert flat.twice.adult(19)
    flat.twice_unseen.adult(19)


def test_a_module_under_its_other_name():
    import twice
    import twice_unseen

    assert twice.adult(18)
    twice_unseen.adult(18)


def test_a_module_that_is_loaded_again():
    import flat.reloaded

    assert importlib.reload(flat.reloaded).adult(18)


def test_a_constant_of_a_module_that_is_loaded_again():
    import flat.reloaded_constant

    again = importlib.reload(flat.reloaded_constant)
    assert again.FULL
    assert again.HALF in (True, False)


def test_a_module_that_is_thrown_out_and_loaded_again():
    import flat.thrown_out

    del sys.modules["flat.thrown_out"]
    again = importlib.import_module("flat.thrown_out")
    assert again is not flat.thrown_out or True
    assert again.adult(18)


def test_text_that_is_executed():
    space = {}
    path = ROOT / "parts" / "executed.py"
    exec(compile(path.read_text(), str(path), "exec"), space)
    assert space["adult"](18)


def test_a_path_that_is_run():
    assert runpy.run_path(str(ROOT / "parts" / "run_by_path.py"))["adult"](18)


def test_an_archive(tmp_path, monkeypatch):
    archive = tmp_path / "pack.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("__init__.py", "zipped.py"):
            file.write(ROOT / "pack" / name, f"pack/{name}")
    monkeypatch.syspath_prepend(str(archive))
    from pack.zipped import adult

    assert adult(18)
