import asyncio
import pickle
import threading

import pytest

import heddle


def test_symbols_are_sizes():
    M, N = heddle.symbols("M N")
    assert str(M * 8 + N) == "8*M+N" and str(heddle.symbols("K") // 4) == "K//4"
    layout = heddle.cute.make_layout((M, N))
    assert str(layout) == "(M,N):(1,M)" and layout.variables == ["M", "N"]
    assert str(layout.size()) == "M*N"
    assert layout.shape == (M, N) and hash(layout.shape) == hash((M, N))
    assert bool(M >= 1) and bool(M > 0)


def test_assumptions_hold_in_their_context_only():
    assert str(heddle.symbols("M") % 128) == "M%128"
    with heddle.assume("M % 128 == 0") as settings:
        assert settings.assumptions == ["M%128 == 0"]
        assert str(heddle.cute.logical_divide("(M):(1)", 128)) == "(128,M//128):(1,128)"
        with heddle.assume("M <= 1024"):
            assert bool(heddle.symbols("M") <= 1024)
    assert str(heddle.symbols("M") % 128) == "M%128"


def test_sizes_made_before_take_the_assumptions():
    M, K = heddle.symbols("M K")
    layout = heddle.cute.make_layout((M, K))
    with heddle.assume("M % 128 == 0"):
        assert str(heddle.cute.logical_divide(heddle.cute.make_layout((M,)), 128)) == (
            "(128,M//128):(1,128)")
        assert str(M % 64) == "0"
        assert str(layout.size()) == "K*M"


def test_what_was_made_under_assumptions_is_refused_without_them():
    with heddle.assume("M % 128 == 0"):
        layout = heddle.cute.logical_divide("(M):(1)", 128)
    assert layout.assumptions == ["M%128 == 0"] and str(layout) == "(128,M//128):(1,128)"
    with pytest.raises(heddle.Refused) as raised:
        layout.size()
    assert raised.value.code == "assume.needed" and "M%128 == 0" in raised.value.hint
    with heddle.assume("M % 128 == 0", "N >= 4"):
        assert str(layout.size()) == "M"
    assert eval(repr(layout), {"heddle": heddle}) == layout
    assert pickle.loads(pickle.dumps(layout)) == layout


def test_contradictions_are_refused():
    with pytest.raises(heddle.Refused) as raised:
        heddle.assume("M > 4", "M < 4")
    assert raised.value.code == "assume.contradiction"


def test_threads_and_tasks_do_not_see_the_assumptions_of_others():
    seen = []
    with heddle.assume("M % 8 == 0"):
        thread = threading.Thread(target=lambda: seen.append(str(heddle.symbols("M") % 8)))
        thread.start()
        thread.join()
    assert seen == ["M%8"]

    async def one(condition):
        with heddle.assume(condition):
            await asyncio.sleep(0)
            return str(heddle.symbols("M") % 8)

    async def both():
        return await asyncio.gather(one("M % 8 == 0"), one("M % 8 == 4"))

    assert asyncio.run(both()) == ["0", "4"]


def test_settings():
    with heddle.settings(engine="isl", timeout=2):
        assert str(heddle.cute.composition("(6,2):(8,2)", "(4,3):(3,1)")) == "((2,2),3):((24,2),8)"
    with heddle.settings(axes=["stage: memory"], strict=True):
        assert str(heddle.layout("S[4:1@stage]")) == "S[(4):(1@stage)]"
        with pytest.raises(heddle.Refused):
            heddle.layout("S[4:1@other]")
