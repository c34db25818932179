import doctest
import pathlib
import re
import signal

import pytest

import heddle

# A shell starts what runs in the background without it.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Lenient(doctest.OutputChecker):
    """Python writes (4, 8) and True where the language writes (4,8) and true."""

    @staticmethod
    def plain(text):
        text = re.sub(r"(?<=[,:]) (?=[-\w\[({'\"])", "", text).replace("'", '"')
        text = text.replace("True", "true").replace("False", "false").replace("None", "null")
        return "\n".join(line.rstrip() for line in text.split("\n")).strip()

    def check_output(self, want, got, flags):
        want = want.replace("<BLANKLINE>", "")
        return super().check_output(want, got, flags) or self.plain(want) == self.plain(got)


@pytest.fixture
def run_doctest():
    """Runs the examples in a text; what fails is reported."""

    def run(text, name, checker=None):
        test = doctest.DocTestParser().get_doctest(text, {"heddle": heddle}, name, None, None)
        said = []
        runner = doctest.DocTestRunner(checker or doctest.OutputChecker(),
                                       optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.append)
        return len(test.examples), "".join(said)

    return run


def every_example():
    """What the table's example of each operation evaluates to, by the example."""
    rows = [heddle._heddle._described(row) for row in range(len(heddle._heddle._rows))]
    return [(row["name"], row["example"]) for row in rows]
