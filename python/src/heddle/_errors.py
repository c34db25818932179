"""The exceptions of the package."""

import re


class Refused(ValueError):
    """An operation was refused: which condition failed, with which operands and numbers.

    `code` is a stable name that docs/errors explains, `message` one sentence, `notes` a list of
    sentences, `hint` what helps (or None), `witness` a coordinate that shows it (a dict, or None), and
    `span` the place in the text that was read (a pair, or None).
    """

    def __init__(self, code, message, notes=(), hint=None, witness=None, span=None, text=None):
        super().__init__(code, message, notes, hint, witness, span, text)
        self.code = code
        self.message = message
        self.notes = list(notes)
        self.hint = hint
        self.witness = witness
        self.span = span
        self.text = text

    def __str__(self):
        if self.text is not None:
            return self.text
        lines = [f"error {self.code}: {self.message}", *(f"  {note}" for note in self.notes)]
        return "\n".join(lines + ([f"  hint: {self.hint}"] if self.hint else []))


class Misused(Refused, TypeError):
    """A call or a text is at fault: a wrong type, an unknown name, a syntax error."""


class Undecided(Exception):
    """An unknown verdict was used as a truth value; `verdict` says why it is unknown."""

    def __init__(self, verdict):
        super().__init__(f"neither true nor false: {verdict}")
        self.verdict = verdict


# Tracebacks show the name under which the package has them.
for _kind in (Refused, Misused, Undecided):
    _kind.__module__ = "heddle"

# The families of codes that the command reports with its exit code for misuse.
_MISUSES = ("syntax.", "name.", "call.", "file.", "usage.", "assume.syntax", "draw.path")


def _as_python(hint):
    """The hint with the call that the option of the command is in Python."""
    return re.sub(r"--assume ('[^']*')", r"heddle.assume(\1)", hint)


def refusal(data, text, kind=None):
    """The exception for a diagnostic as data, of this class or of the one that the code calls for."""
    kind = kind or (Misused if data["code"].startswith(_MISUSES) else Refused)
    span = data.get("span")
    hint = data.get("hint")
    if hint and "--assume" in hint:
        typed = _as_python(hint)
        hint, text = typed, text.replace(hint, typed)
    return kind(
        data["code"],
        data["message"],
        data.get("notes") or (),
        hint or None,
        data.get("witness"),
        tuple(span) if span else None,
        text.removesuffix("\n"),
    )
