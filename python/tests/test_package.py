"""The package as a whole: its import, its command, its documents, pictures, Ctrl-C."""

import ast
import html.parser
import importlib
import inspect
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT

import heddle


def run(*words, **options):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, **options)


def test_importing_takes_less_than_50_ms_and_no_numpy():
    # MLIR, where the library is built with it, is half of LLVM to load, and is not counted.
    code = ("import ctypes, sys, time; [ctypes.CDLL(library) for library in sys.argv[1:]]\n"
            "begin = time.process_time(); import heddle; print(time.process_time() - begin)\n"
            "print('numpy' in sys.modules)")
    loaded = {line.split()[-1] for line in open("/proc/self/maps", encoding="utf-8")}
    spent = []
    for _ in range(10):
        done = run("-c", code, *(library for library in loaded if "/libMLIR.so" in library))
        assert done.returncode == 0, done.stderr
        time_text, has_numpy = done.stdout.split()
        assert has_numpy == "False"
        spent.append(float(time_text))
    assert min(spent) < 0.05, spent


def test_the_command():
    done = run("-m", "heddle", "eval", "composition((6,2):(8,2), (4,3):(3,1))")
    assert (done.returncode, done.stdout) == (0, "((2,2),3):((24,2),8)\n")
    refused = run("-m", "heddle", "eval", "composition((4,6):(1,5), 6:1)")
    assert refused.returncode == 4 and "composition.no_layout" in refused.stderr
    assert run("-m", "heddle", "help", "overflow").stdout.startswith("overflow")


@pytest.mark.parametrize("path", sorted((ROOT / "python/tests/examples").glob("*.py")),
                         ids=lambda path: path.stem)
def test_examples_run(path):
    done = run(str(path))
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize("page", ["docs/python.md", "docs/python_drop_ins.md", "docs/relayout.md",
                                  "docs/reshard.md", "README.md"])
def test_documents(page, run_doctest):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks, inside = [], None
    for line in text.split("\n"):
        if line.startswith("```"):
            if inside is not None and inside[0] == "python":
                blocks.append("\n".join(inside[1]))
            inside = (line[3:], []) if inside is None else None
        elif inside is not None:
            inside[1].append(line)
    if not blocks:
        pytest.fail(f"{page} has no blocks of Python")
    count, failed = run_doctest("\n\n".join(blocks) + "\n", page)
    assert count > 0 and not failed, failed


def test_docstrings_of_the_package(run_doctest):
    from heddle import _drawing, _kernel_builder, _methods

    for thing in (heddle, heddle.symbols, heddle.assume, heddle.settings, _drawing.draw, _methods.table,
                  _methods.gather, _methods.scatter, heddle.kernel.loads, _kernel_builder):
        count, failed = run_doctest(thing.__doc__, thing.__name__)
        assert count and not failed, failed


def test_pictures():
    layout = heddle.layout("(2,4):(4,1)")
    picture = heddle.draw(layout)
    assert "┌────────────┐" in str(picture) and picture.svg.startswith("<svg")
    assert layout._repr_svg_() == picture.svg and "srcdoc" in layout._repr_html_()
    latex = layout._repr_latex_()
    assert latex.startswith("\\begingroup\n\\definecolor") and latex.endswith("\\endgroup")
    assert "\\end{tikzpicture}" in latex and "documentclass" not in latex
    parser = html.parser.HTMLParser()
    parser.feed(picture.html)
    assert heddle.layout("{ [c] -> [2c] : 0 <= c < 4 }")._repr_svg_() is not None


@pytest.mark.parametrize("text", [
    "(4096,4096):(4096,1)", "S[(64,64):(64@m,1@m)]", "GroupBy([64,64])", "Sw<3,3,3> o 0 o (64,64):(64,1)",
    "((4,64),4):((64,1),512) tile (64,64)", "{ [i, j] -> [64i + j] : 0 <= i < 64 and 0 <= j <= i }",
    "(2,2,2,2,2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,256,512,1024,2048,4096)",
    str([[(37 * i + j) % 1000 for j in range(32)] for i in range(32)]),
    "tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>>"])
def test_notebooks_show_the_corners_of_large_layouts(text):
    layout = heddle.layout(text)
    svg, page, latex = layout._repr_svg_(), layout._repr_html_(), layout._repr_latex_()
    assert 0 < len(svg) < 130_000 and 0 < len(page) < 250_000 and 0 < len(latex) < 130_000
    # The page loads nothing.
    assert not re.search(r"(src|href)=(?!.?#)|@import|url\((?!#)", page.replace("srcdoc=", ""))
    assert "left out" in svg or "owner xor" in svg  # of a linear layout the owners of the rest follow


def test_notebooks_show_a_text_where_there_is_no_picture():
    assert heddle.layout("(M,N):(N,1)")._repr_html_() is None


def test_pictures_are_saved(tmp_path):
    for ending, begin in ((".svg", "<svg"), (".html", "<!"), (".tex", "\\documentclass"), (".txt", "(2")):
        path = heddle.draw("(2,4):(4,1)").save(tmp_path / ("picture" + ending))
        assert path.read_text(encoding="utf-8").lstrip().startswith(begin)
    path = heddle.draw("(2,4):(4,1)").save(tmp_path / "picture.json")
    model = json.loads(path.read_text(encoding="utf-8"))
    assert model["panels"][0]["cells"]["text"] == list(range(8))
    with pytest.raises(heddle.Misused):
        heddle.draw("4:1").save(tmp_path / "picture.png")


# Nested floors keep isl busy for seconds.
LONG = "relation('{ [i] -> [" + "floor(" * 40 + "i" + "/2)" * 40 + "] : 1 <= i < 4 }')"


def test_ctrl_c_stops_long_work():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with heddle.settings(steps=4_000_000_000), pytest.raises(KeyboardInterrupt):
        heddle.evaluate(LONG)
    assert heddle.size("4:1") == 4


def test_a_timeout_ends_long_work():
    with heddle.settings(steps=4_000_000_000, timeout=0.3), pytest.raises(heddle.Refused) as raised:
        heddle.evaluate(LONG)
    assert raised.value.code == "relation.gave_up" and "time limit is 300 ms" in str(raised.value)


def test_steps_end_long_work():
    with heddle.settings(steps=10_000), pytest.raises(heddle.Refused) as raised:
        heddle.evaluate(LONG)
    assert "gave up after 10000 steps of isl" in str(raised.value)


def test_other_threads_run_while_the_library_works():
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    with heddle.settings(timeout=0.5), pytest.raises(heddle.Refused):
        heddle.evaluate(LONG)
    done.set()
    thread.join()
    assert len(ticks) > 10


@pytest.mark.parametrize("name", ["pycute/__init__", "linear_layout"])
def test_stubs_written_by_hand_have_the_names_of_the_module(name):
    module = importlib.import_module("heddle." + name.split("/")[0])
    stub = ast.parse((pathlib.Path(heddle.__file__).parent / f"{name}.pyi").read_text())
    declared = {}
    for node in stub.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            declared.update((one.asname, None) for one in node.names if one.asname)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            declared[node.name] = node
    assert set(module.__all__) <= set(declared)
    for public, node in declared.items():
        value = getattr(module, public)
        if isinstance(node, ast.FunctionDef) and public != "make_layout":
            assert list(inspect.signature(value).parameters) == [one.arg for one in node.args.args], public
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(member, ast.FunctionDef) and member.name != "__iter__":
                assert hasattr(value, member.name), (public, member.name)
