"""Methods of layouts that need other libraries: arrays, pictures, conversions to other objects."""

from heddle import _heddle
from heddle._errors import Refused

# A notebook shows the corners of layouts with more cells; heddle.draw shows more.
_CELLS_IN_NOTEBOOKS = 512


def rebuilt(kind, text, assumptions):
    """The value that was pickled."""
    return kind(text, assume=", ".join(assumptions)) if assumptions else kind(text)


def table(layout):
    """All images of a layout as an array, shaped as its box; on several axes the last index is the axis.

    >>> heddle.layout("(2,4):(4,1)").table()
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    return _heddle._table_array(layout)


def gather(layout, array):
    """The array g with g[c] == array[layout(c)] for every coordinate c; the array is read flat.

    >>> import numpy as np
    >>> heddle.gather(heddle.layout("(2,3):(1,2)"), np.arange(10, 16))
    array([[10, 12, 14],
           [11, 13, 15]])
    """
    import numpy as np

    places, array = _places(layout), np.asarray(array)
    least, greatest, _ = _heddle._measured(places)
    if least < 0 or greatest >= array.size:
        wrong = least if least < 0 else greatest
        point = np.unravel_index(np.flatnonzero(places.ravel() == wrong)[0], places.shape)
        raise Refused(
            "gather.outside", f"{layout} leads to {wrong}, and the array has {array.size} elements",
            witness={"coordinate": [int(index) for index in point], "found": wrong},
        )
    return array.reshape(-1)[places]


def scatter(layout, array, fill=0):
    """The flat array s with s[layout(c)] == array[c] for every coordinate c, and `fill` elsewhere.

    It is refused (`scatter.overlap`) if two coordinates lead to one place.

    >>> import numpy as np
    >>> heddle.scatter(heddle.layout("(2,3):(1,3)"), np.arange(6).reshape(2, 3), fill=-1)
    array([ 0,  3, -1,  1,  4, -1,  2,  5])
    """
    import numpy as np

    places, array = _places(layout), np.asarray(array)
    if array.shape != places.shape and array.size != places.size:
        raise Refused("table.shape",
                      f"{layout} has {places.size} points, and the array {array.size} elements")
    least, greatest, same = _heddle._measured(places)
    if least < 0:
        raise Refused("scatter.outside", f"{layout} leads to {least}, which is not a place of an array")
    if same is None and greatest >= 1 << 28:
        raise Refused("scatter.outside", f"{layout} leads to {greatest}; the array would be too large")
    if same is not None:
        first, second = (
            tuple(int(index) for index in np.unravel_index(one, places.shape)) for one in same)
        raise Refused(
            "scatter.overlap",
            f"{layout} leads {first} and {second} to one place, {int(places[first])}",
            witness={"coordinate": list(second), "found": int(places[first]), "other": list(first)},
        )
    result = np.full(greatest + 1, fill, dtype=array.dtype)
    result[places.reshape(-1)] = array.reshape(-1)
    return result


def _places(layout):
    layout = layout if isinstance(layout, _heddle.Value) else _heddle.layout(layout)
    places = _heddle._table_array(layout)
    axes = places.ndim - len(layout_box(layout))
    if axes:
        raise Refused("table.shape", f"{layout} leads to {places.shape[-1]} axes; an array has places on one")
    return places


def layout_box(layout):
    """The extents of a layout's box."""
    return _heddle._box(layout)


def _add_methods():
    kinds = (
        _heddle.cute.Layout, _heddle.cute.ComposedLayout, _heddle.cute.TvLayout,
        _heddle.linear.LinearLayout, _heddle.axe.Layout, _heddle.lego.Layout, _heddle.Relation,
        _heddle.Table,
    )

    def converter(name):
        def convert(self, *args, **kwargs):
            from heddle import _foreign

            return getattr(_foreign, name)(self, *args, **kwargs)

        convert.__name__ = convert.__qualname__ = name
        return convert

    def drawn(form):
        def representation(self):
            from heddle._drawing import draw

            try:
                return getattr(draw(self, limit=_CELLS_IN_NOTEBOOKS), form)()
            except Refused:
                return None

        representation.__name__ = representation.__qualname__ = form
        return representation

    def draw_method(self, **options):
        """The picture of the layout; see heddle.draw."""
        from heddle._drawing import draw

        return draw(self, **options)

    targets = ("to_pycute", "to_cute_dsl", "to_triton", "to_gluon", "to_tvm", "to_torch", "to_jax")
    for kind in kinds:
        kind.table, kind.gather, kind.scatter, kind.draw = table, gather, scatter, draw_method
        for form in ("_repr_html_", "_repr_svg_", "_repr_latex_"):
            setattr(kind, form, drawn(form))
        for name in targets:
            setattr(kind, name, converter(name))
    for kind in (_heddle.linear.Encoding, _heddle.axe.Sharding, _heddle.axe.Sharded, _heddle.axe.Mesh):
        for name in targets:
            setattr(kind, name, converter(name))


_add_methods()
