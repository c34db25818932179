"""Moving the elements of arrays from one layout to another."""

# Importing typing for its NamedTuple takes several milliseconds.
from collections import namedtuple

from heddle import _heddle
from heddle._errors import Misused, Refused


Recipe = namedtuple("Recipe", "name sizes summary from_ to element_bits source shape")
Recipe.__doc__ = """A repacking that people really do: two layouts over named sizes.

`sizes` are the names, `summary` is a sentence, `from_` and `to` are texts, `element_bits` is 0 if elements
of any width are moved, `source` says who defines the new layout, and `shape` is that of the new array, in
elements.
"""


def recipes():
    """The repackings by name, for relayout(array, recipe=name).

    >>> next(recipe.to for recipe in heddle.recipes() if recipe.name == "vnni2")
    '((2,K//2),N):((1,2*N),2)'
    """
    return [Recipe(*fields) for fields in _heddle._recipes()]


def _check_types(recipe, sizes, **numbers):
    """Refuses what are not a name, a dict of sizes, and integers."""
    if not isinstance(recipe, (str, type(None))):
        raise Misused("call.type", f"the name of a recipe is a text, not {recipe!r}")
    if not isinstance(sizes, (dict, type(None))):
        raise Misused("call.type", f"sizes are a dict from names to numbers, not {sizes!r}")
    for name, number in [*numbers.items(), *(sizes or {}).items()]:
        if not hasattr(number, "__index__") and (number is not None or name not in numbers):
            raise Misused("call.type", f"{name} is a whole number, not {number!r}")


def relayout(array, from_=None, to=None, out=None, *, recipe=None, sizes=None, in_place=False, bits=None,
             as_=None, threads=None):
    """Moves element c of an array from place from_(c) to place to(c), and returns the array moved to.

    That is `out`, or the array itself with `in_place`, or a new array (of PyTorch for its tensors), where
    places that no element moves to are zero: of a recipe in the shape that it gives, else flat. Places count
    elements, of the array's type or of so many `bits`, in the memory that the arrays have: nothing is copied
    before. Without `from_` the elements lie as the strides of the array say, without `to` as those of `out`.
    What has the buffer protocol or `__dlpack__` is an array.

    With the name of a `recipe` (see recipes()) in place of both layouts, all elements of an array in the
    order of rows are repacked. Its shape tells the recipe's sizes where it has as many axes, else `sizes` do.

    >>> import numpy as np
    >>> heddle.relayout(np.arange(6), "(2,3):(3,1)", "(2,3):(1,2)")
    array([0, 3, 1, 4, 2, 5])
    """
    _check_types(recipe, sizes, bits=bits, threads=threads)
    if recipe is not None and not (from_ is to is as_ is None):
        raise Misused("call.keyword", "a recipe has both layouts, and from_, to or as_ give others")
    if recipe is None and sizes is not None:
        raise Misused("call.keyword", "sizes are those of a recipe, and there is none",
                      hint="give sizes of layouts as numbers in their text")
    if in_place and out is not None:
        raise Misused("call.keyword", "in_place moves within the array itself, and out is another one")
    if recipe is None and to is None and out is None:
        raise Misused("call.arity", "relayout needs to, the layout to move to, or out, an array that has it")
    if recipe is None and bits is not None and (from_ is None or to is None):
        raise Misused("call.keyword", "strides count elements of the array, and bits gives others",
                      hint="give both layouts, from_ and to")
    source = _heddle._Memory(array, in_place)
    destination = None if out is None else _heddle._Memory(out, True)
    if out is not None and bits is None and source.element_bits != destination.element_bits:
        raise Misused("call.type", f"the array has elements of {source.element_bits} bits, and out of "
                                   f"{destination.element_bits}")
    if out is not None and bits is None and not source.holds_as(destination):
        raise Misused("call.type", "the array and out have elements of other types, and elements are moved "
                                   "as they are",
                      hint=f"out.view(array.dtype), or bits={source.element_bits}")
    if from_ is not None or in_place:
        source.check_dense("source")
    if (to is not None or recipe is not None) and destination is not None:
        destination.check_dense("destination")
    shape = ()
    if recipe is not None:
        plans, shape = _heddle._plan_recipe(source, recipe, sizes or {}, bits)
    else:
        plans = [_heddle.make_plan(source if from_ is None else from_, destination if to is None else to,
                                   source.element_bits if bits is None else bits, as_=as_)]
    if in_place:
        if len(plans) > 1:
            raise Refused("move.in_place", "partial blocks are filled up, which takes more room",
                          hint="leave in_place out")
        plans[0]._run_in_place(source)
        return array
    if out is None:
        out = _zeros(array, plans[0], shape)
        destination = _heddle._Memory(out, True)
    for plan in plans:
        plan._run(source, destination, threads)
    return out


def _zeros(array, plan, shape):
    """A new array of what the plan writes: of this shape and the array's type; without a shape flat, and of
    the array's type if that is what is moved, else of bytes."""
    import numpy as np

    if hasattr(array, "new_zeros"):  # a tensor of PyTorch
        if shape or 8 * array.element_size() == plan.element_bits:
            return array.new_zeros(shape or 8 * plan.destination_bytes // plan.element_bits)
    if not isinstance(getattr(array, "dtype", None), np.dtype):
        array = np.from_dlpack(array) if hasattr(array, "__dlpack__") else np.asarray(memoryview(array))
    if shape:
        return np.zeros(shape, array.dtype)
    kind = array.dtype if 8 * array.dtype.itemsize == plan.element_bits else np.dtype(np.uint8)
    return np.zeros(plan.destination_bytes // kind.itemsize, kind)
