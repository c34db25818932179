import pickle
import subprocess
import sys

import pytest

import heddle


def test_a_refusal_has_its_data():
    with pytest.raises(heddle.Refused) as raised:
        heddle.cute.composition("(4,6):(1,5)", "6:1")
    refused = raised.value
    assert refused.code == "composition.no_layout"
    assert refused.witness["coordinate"] == "4" and refused.witness["found"] == "5"
    assert refused.notes and str(refused).startswith("error composition.no_layout:")
    again = pickle.loads(pickle.dumps(refused))
    assert (again.code, again.witness, str(again)) == (refused.code, refused.witness, str(refused))
    assert not isinstance(refused, TypeError)


@pytest.mark.parametrize("call, code", [
    (lambda: heddle.cute.composition("4:1"), "call.arity"),
    (lambda: heddle.cute.composition("4:1", "4:1", colour=1), "call.keyword"),
    (lambda: heddle.cute.composition("4:1", 3.5), "call.type"),
    (lambda: heddle.cute.composition("4:1", object()), "call.type"),
    (lambda: heddle.layout("(4,8"), "syntax.unbalanced"),
    (lambda: heddle.layout("nothing"), "name.unknown"),
    (lambda: heddle.cute.size(1 << 70), "syntax.number"),
    (lambda: heddle.settings(timeout=-1), "usage.option"),
    (lambda: heddle.settings(steps=0), "usage.option"),
])
def test_misuse_is_a_type_error_that_says_what_to_do(call, code):
    with pytest.raises(heddle.Misused) as raised:
        call()
    assert raised.value.code == code and isinstance(raised.value, TypeError)


def test_tracebacks_show_the_names_of_the_package():
    for kind in (heddle.Refused, heddle.Misused, heddle.Undecided):
        assert kind.__module__ == "heddle" and getattr(heddle, kind.__qualname__) is kind


def test_the_place_in_a_text():
    with pytest.raises(heddle.Misused) as raised:
        heddle.layout("(4,8):(8,,1)")
    begin, end = raised.value.span
    assert 0 < begin < end <= len("(4,8):(8,,1)")


def test_lists_that_contain_themselves():
    endless = []
    endless.append(endless)
    with pytest.raises(heddle.Misused) as raised:
        heddle.cute.size(endless)
    assert raised.value.code == "syntax.too_deep"


SHORT_OF_MEMORY = """
import resource, sys, heddle

text = "size((" + "1," * 100000 + "1))"
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
try:
    heddle.evaluate(text)
except (MemoryError, RuntimeError, heddle.Refused) as error:
    print(type(error).__name__)
"""


def test_work_that_runs_out_of_memory_raises_and_ends_nothing():
    raised = set()
    for megabytes in (10, 11, 12, 13, 14, 40):
        done = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY, str(megabytes)],
                              capture_output=True, text=True)
        assert done.returncode == 0, (megabytes, done.stderr)
        raised.add(done.stdout.strip())
    assert "MemoryError" in raised, raised
