"""Pictures of layouts."""

from heddle import _heddle

_picture = _heddle._operation_named("picture")
_FORMATS = {".svg": "svg", ".html": "html", ".htm": "html", ".tex": "latex", ".txt": "text",
            ".json": "json"}


class Picture:
    """A picture of a layout, which notebooks show.

    `svg`, `html`, `latex` and `text` are the picture in that format; `save(path)` writes the one that
    the path's ending names, `show()` opens the page in a browser, or prints where there is none.
    """

    def __init__(self, layouts, options):
        self._layouts = layouts
        self._options = options
        self.text = self._drawn("text")

    def _drawn(self, form):
        return _picture(*self._layouts, format=form, **self._options).data

    svg = property(lambda self: self._drawn("svg"), doc="The picture as SVG.")
    html = property(lambda self: self._drawn("html"), doc="The picture as a page to explore.")
    latex = property(lambda self: self._drawn("latex"), doc="The picture in TikZ.")

    def save(self, path):
        """Writes the picture to a file that ends in .svg, .html, .tex, .txt or .json."""
        import json
        import pathlib

        path = pathlib.Path(path)
        form = _FORMATS.get(path.suffix)
        if form is None:
            from heddle._errors import Misused

            raise Misused("draw.path", f"{path} says no format",
                          hint="a picture is saved as .svg, .html, .tex, .txt or .json")
        drawn = self._drawn(form)
        path.write_text(json.dumps(drawn) if form == "json" else drawn, encoding="utf-8")
        return path

    def show(self):
        """Opens the picture in a browser; prints it where there is none."""
        import tempfile
        import webbrowser

        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.html)
        if not webbrowser.open("file://" + file.name):
            print(self.text)

    def embed(self, height=480):
        """The page in a frame, for a document of HTML."""
        import html

        return (f'<iframe style="border:0;width:100%;height:{height}px" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')

    def _repr_html_(self):
        return self.embed()

    def _repr_svg_(self):
        return self.svg

    def _repr_latex_(self):
        """The picture as a part of a document that uses the package tikz."""
        head, body = self.latex.split("\\begin{document}\n", 1)
        head = head.split("\n", 1)[1]
        body = body.split("\\end{document}", 1)[0]
        return "\\begingroup\n" + head + body + "\\endgroup"

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<heddle.Picture of {', '.join(str(layout) for layout in self._layouts)}>"


def draw(*layouts, **options):
    """A picture of a layout of any system; the options are those of `heddle.picture`.

    >>> print(heddle.draw("(2,4):(4,1)"))
    (2,4):(4,1)
        0  1  2  3
      ┌────────────┐
    0 │ 0  1  2  3 │
    1 │ 4  5  6  7 │
      └────────────┘
    <BLANKLINE>
    """
    return Picture(layouts, options)
