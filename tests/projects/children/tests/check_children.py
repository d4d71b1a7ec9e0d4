"""One way to start Python after the other; what each module must come to stands beside its comparison."""

import asyncio
import json
import multiprocessing
import os
import shlex
import stat
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest import mock

import pytest

from ways import by_pool, forked, served, spawned

ROOT = Path(__file__).parents[1]


def command(name, *options):
    return [sys.executable, *options, "-m", f"ways.{name}", "18"]


def said(name, *options, **keywords):
    return subprocess.run(
        command(name, *options), cwd=ROOT, capture_output=True, text=True, check=True, timeout=30, **keywords
    ).stdout


def test_run():
    assert said("by_run") == "True\n"


def test_check_output():
    assert subprocess.check_output(command("by_check_output"), cwd=ROOT) == b"True\n"


def test_popen():
    with subprocess.Popen(command("by_popen"), cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.communicate()[0] == b"True\n"


def test_shell():
    line = shlex.join(command("by_shell"))
    assert subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, check=True).stdout == b"True\n"


def test_code():
    code = "from ways.by_code import adult; print(adult(18))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT) == b"True\n"


def test_console_script(tmp_path):
    script = tmp_path / "adult"
    script.write_text(f"#!{sys.executable}\nimport sys\nfrom ways.by_console_script import main\nsys.exit(main())\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    assert subprocess.check_output([script, "18"], env=environment) == b"True\n"


def test_asyncio():
    async def run():
        process = await asyncio.create_subprocess_exec(*command("by_asyncio"), cwd=ROOT, stdout=subprocess.PIPE)
        return (await process.communicate())[0]

    assert asyncio.run(run()) == b"True\n"


def test_asyncio_shell():
    async def run():
        line = shlex.join(command("by_asyncio_shell"))
        process = await asyncio.create_subprocess_shell(line, cwd=ROOT, stdout=subprocess.PIPE)
        return (await process.communicate())[0]

    assert asyncio.run(run()) == b"True\n"


def test_clean_environment():
    assert said("clean_environment", env={"PATH": os.environ["PATH"]}) == "True\n"


def test_no_environment_at_all():
    assert said("no_environment_at_all", env={}) == "True\n"


def test_cleared_environment():
    with mock.patch.dict(os.environ, clear=True):
        assert said("cleared_environment") == "True\n"


def test_cleared_and_passed():
    with mock.patch.dict(os.environ, {"PATH": os.defpath}, clear=True):
        assert said("cleared_and_passed", env=dict(os.environ)) == "True\n"


def test_system(tmp_path):
    line = shlex.join(command("by_system"))
    assert os.system(f"cd {shlex.quote(str(ROOT))} && {line} > {shlex.quote(str(tmp_path / 'out'))}") == 0
    assert (tmp_path / "out").read_text() == "True\n"


def waited(pid):
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_execute(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = "import os; from ways.by_execute import adult; os._exit(not adult(18))"
    pid = os.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", code])
    waited(pid)


def test_spawn(monkeypatch):
    monkeypatch.chdir(ROOT)
    code = "import os; from ways.by_spawn import adult; os._exit(not adult(18))"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


def test_posix_spawn(monkeypatch):
    monkeypatch.chdir(ROOT)
    code = "import os; from ways.by_posix_spawn import adult; os._exit(not adult(18))"
    waited(os.posix_spawn(sys.executable, [sys.executable, "-c", code], os.environ))


def test_other_folder(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command("other_folder"), cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_thread():
    answers = []
    thread = threading.Thread(target=lambda: answers.append(said("from_thread")))
    thread.start()
    thread.join()
    assert answers == ["True\n"]


def test_nobody_looks():
    said("nobody_looks")


@pytest.mark.parametrize("name", ["grandchild", "grandchild_in_clean_environment"])
def test_grandchild(name):
    line = [sys.executable, "-m", "ways.parent", name]
    assert subprocess.check_output(line, cwd=ROOT) == b"True\n"


@pytest.mark.parametrize(
    ("method", "module"), [("fork", forked), ("spawn", spawned), ("forkserver", served)], ids=["fork", "spawn", "forkserver"]
)
def test_multiprocessing(method, module):
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=module.tell, args=(answers, 18))
    process.start()
    assert answers.get(timeout=30)
    process.join()


def test_pool():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(by_pool.adult, 18).result()


def test_server():
    with subprocess.Popen(
        [sys.executable, "-m", "ways.server"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        for number, (method, age) in enumerate([("adult", 18), ("old", 65)]):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"age": age}}
            print(json.dumps(request), file=server.stdin, flush=True)
            reply = json.loads(server.stdout.readline())
            assert reply["id"] == number
            assert reply["result"] or method == "old"
        server.stdin.close()
        assert server.wait(timeout=30) == 0
