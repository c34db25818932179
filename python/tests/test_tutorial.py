"""The tutorial notebook: it runs, and what is stored in it is what it prints.

HEDDLE_UPDATE_DOCS=1 stores what it prints.
"""

import os

import nbclient
import nbformat
from conftest import ROOT

PATH = ROOT / "docs/tutorial.ipynb"


def outputs(notebook):
    """What each cell of code shows, in every form."""
    return [(cell.source, [output.get("data", output.get("text")) for output in cell.outputs])
            for cell in notebook.cells if cell.cell_type == "code"]


def drop_pages(notebook):
    """Without pictures as pages, each of which holds the explorer's modules: they are there as SVG too."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "<iframe" in output.get("data", {}).get("text/html", ""):
                del output["data"]["text/html"]


def test_the_tutorial_shows_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    stored = nbformat.read(PATH, as_version=4)
    made = nbformat.read(PATH, as_version=4)
    client = nbclient.NotebookClient(made, timeout=600, kernel_name="python3", record_timing=False,
                                     coalesce_streams=True)
    client.execute(cwd=str(tmp_path))
    drop_pages(made)
    if os.environ.get("HEDDLE_UPDATE_DOCS"):
        nbformat.write(made, PATH)
        return
    for ours, theirs in zip(outputs(made), outputs(stored), strict=True):
        assert ours == theirs
