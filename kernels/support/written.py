"""Tables that scripts write into documents, between two lines that mark their place."""


def _parts(path, markers):
    text = path.read_text()
    for marker in markers:
        if text.count(f"{marker}\n") != 1:
            raise SystemExit(f"{path}: '{marker}' has to be there once")
    before, rest = text.split(f"{markers[0]}\n")
    between, after = rest.split(f"{markers[1]}\n")
    return before, between, after


def _block(lines):
    return "\n" + "\n".join(lines) + "\n\n"


def write_between(path, markers, lines):
    """Puts the lines between the two markers of a document."""
    before, _, after = _parts(path, markers)
    path.write_text(f"{before}{markers[0]}\n{_block(lines)}{markers[1]}\n{after}")


def read_between(path, markers):
    """The lines that are there."""
    return _parts(path, markers)[1].strip("\n").split("\n")
