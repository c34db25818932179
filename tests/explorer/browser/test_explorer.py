"""Every feature of the explorer, clicked through as a reader does. Run by scripts/python."""

import functools
import http.server
import importlib.util
import json
import os
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest
from conftest import HEDDLE, PATIENCE, Page
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[3]
TILE = "(4,8):(8,1)"
SWIZZLED = "Sw<2,0,3> o 0 o (4,8):(8,1)"
FRAGMENT = 'instruction_layout("SM80_16x8x16_F32F16F16F32_TN", "C")'
COMPOSITION = "composition((6,2):(8,2), (4,3):(3,1))"
TRANSPOSE = (ROOT / "examples/kernels/transpose.heddle").read_text()
FRAGMENT_TYPE = ("tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                 "warpsPerCTA = [1, 1], instrShape = [16, 8]}>>")
HOSTILE = "<script>window.stolen = 1</script><img src=x onerror=\"window.stolen = 1\">'\"&`"
PANELS = ["notations", "steps", "questions", "costs", "matrix", "symbols", "code", "kernels", "instructions"]


def within(measured, goal, what):
    """Prints a time; only minutes are a failure, because the machine may be busy."""
    print(f"{what}: {measured:.0f} ms, goal {goal} ms")
    assert measured < 120_000, what


def paste(page, text):
    """Pastes a text into the box at the head of the page."""
    page.script(
        """const area = document.querySelector('#input textarea');
           area.value = arguments[0];
           area.dispatchEvent(new InputEvent('input', {bubbles: true}));
           area.dispatchEvent(new ClipboardEvent('paste', {bubbles: true}));""",
        text,
    )


# Pasting.


def test_a_pasted_layout_is_recognised_and_drawn(page):
    page.open("")
    page.wait(lambda: page.all(".examples button"), "examples")
    page.type(TILE)
    page.says("CuTe", "#said")
    assert page.drawn()[0] == [8 * row + column for row in range(4) for column in range(8)]
    page.save("first")


def test_an_example_is_drawn_when_it_is_pressed(page):
    page.open("")
    page.press("nested tile", ".examples")
    page.wait(lambda: page.all("#views .stage"), "a picture")
    assert page.drawn()[0][:4] == [0, 2, 8, 10]


def test_an_error_stands_at_its_place_with_its_hint(page):
    page.open("")
    page.type("composition((4,6):(1,5), 6:1)")
    page.says("composition.no_layout", "#said")
    page.says("at 4: 5, where 4 is needed", "#said")
    page.type("(4,8:(16,1)")
    page.says("'(' is not closed", "#said")
    assert page.text("#input mark") == "("


def test_names_are_completed_while_they_are_typed(page):
    page.open("")
    page.type("logical_div")
    page.says("logical_divide", ".offers")
    page.one("#input textarea").send_keys(Keys.TAB)
    value = page.script("return document.querySelector('#input textarea').value")
    assert value == "logical_divide"


def test_a_dump_offers_each_of_its_layouts(page):
    blocked = "sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]"
    dump = f"#blocked = #ttg.blocked<{{{blocked}}}>" + """
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #blocked>, %b: tensor<16x32xf16, #blocked>) { tt.return }
}
"""
    page.open(dump)
    page.wait(lambda: len(page.all(".parts button")) >= 2, "the layouts of the dump")
    first = page.drawn()
    page.all(".parts button")[1].click()
    page.wait(lambda: page.drawn() != first, "the other layout")


def test_a_script_of_tvm_is_recognised(page):
    page.open("")
    paste(page, "@T.prim_func\ndef f(a):\n    smem = T.TileLayout(S[(8,64):(64@m,1@m)])\n")
    page.says("a TVM script", "#said")
    assert len(page.drawn()[0]) == 8 * 64


def test_a_kernel_is_shown_without_a_picture_and_opens_its_panel(page):
    page.open("")
    paste(page, TRANSPOSE)
    page.says("a kernel: transpose", "#said")
    page.says("No layout is in this text, which is a kernel: transpose.")
    assert page.all("#views figure") == [] and page.all("#said .diagnostic") == []
    page.press("show how each statement is done", "#said")
    page.says("copy(tile, A[32*bx : +32, 32*by : +32])")
    page.says("4 elements are not known to be contiguous")


def test_a_log_says_what_diagnose_does_line_after_line(page):
    page.open((ROOT / "tests/notation/diagnose/logs/composition_stride.clang.log").read_text())
    page.says("CuTe asks: in composition(A, B)", "#said")
    lines = page.script(
        """const remark = document.querySelector('#said .remark');
           return remark.clientHeight / parseFloat(getComputedStyle(remark).lineHeight)""")
    assert lines >= 7
    page.says("S[(2,2):(13@m,27@m)]")
    page.open((ROOT / "tests/facts/corpus/logs/cutlass1499.log").read_text())
    page.says("neither number divides the other", "#said")
    page.says("No layout is in this text, which is a compiler's log.")
    assert page.all("#panel .diagnostic") == [] and page.all("#views figure") == []


def test_a_shape_is_assumed_until_one_is_given_and_all_panels_follow(page):
    page.open("S[(4,8):(8@m,1@m)]", "notations")
    page.says("assumed is the shape 32", "#said")
    page.says("shape (32)")
    field = page.all("#views .controls input[type=text]")[-1]
    assert field.get_attribute("placeholder") == "32"
    field.send_keys("4,8", Keys.TAB)
    page.says("shape (4,8)")
    assert "assumed" not in page.text("#said")
    page.open("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
              "order = [1, 0]}>", shape=[32, 32])
    page.says("an encoding", "#said")
    assert len(page.drawn()[0]) == 32 * 32


def test_what_triton_needs_is_copied_and_read_again(page):
    """From CuTe to Triton and back: the encoding of a memory, and of registers."""
    page.open("((4,8),(2,4)):((16,1),(8,64))", "notations")
    offsets = [[4, 0], [8, 0], [16, 0], [0, 1], [1, 0], [2, 0], [0, 2], [0, 4]]
    encoding = f"#ttg.shared_linear<{{offset = {offsets}}}, alignment = 16>"
    page.says(encoding)
    page.type(encoding)
    page.says("an encoding", "#said")
    page.says(encoding)
    page.open("((4,8),(2,2)):((32,1),(16,8)) tile <16,8>", "notations")
    page.says("lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>")
    page.open(FRAGMENT_TYPE, "notations")
    page.says("#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]")


def test_a_text_may_name_the_other_layouts(page):
    page.open({"A": TILE, "B": "composition(A, 8:1)"})
    page.press("B", "#layouts")
    page.wait(lambda: page.drawn()[-1] == [0, 1, 8, 9, 16, 17, 24, 25], "A is known in B")
    page.press("A", "#layouts")
    page.wait(lambda: len(page.drawn()[0]) == 32, "A")
    page.type("(2,2):(2,1)")
    page.wait(lambda: len(page.drawn()[0]) == 4, "another A")
    page.press("B", "#layouts")
    page.wait(lambda: page.drawn()[0] == [0, 1, 2, 3], "B of the other A")
    page.type("composition(B, 4:1)")
    page.says("B needs itself", "#said")
    assert page.text("#input mark") == "B"
    page.type("composition(C, 4:1)")
    page.says("unknown name 'C'", "#said")


def test_a_picture_of_an_earlier_text_says_so_and_goes_with_the_text(page):
    page.open("")
    page.type(TILE)
    page.drawn()
    assert page.text("#views .stale-note") == ""
    page.type("(4,8:(8,1)")
    page.says(f"the last text that could be read: {TILE}", "#views .stale-note")
    page.type(" ")
    page.wait(lambda: not page.all("#views figure"), "no picture")
    assert page.text("#views .stale-note") == ""


def test_labels_of_a_pasted_table_are_left_out_by_a_button(page):
    page.open("")
    paste(page, "i\tj\tk\n0\t8\t16\n1\t9\t17")
    page.says("the first row has no numbers: i, j, k", "#said")
    page.press("leave it out", "#said")
    page.wait(lambda: page.drawn() == [[0, 8, 16, 1, 9, 17]], "the numbers alone")
    page.open(TILE, "questions")
    page.set("Rows of integers", "a,0,8\nb,1,9")
    page.says("the first column has no numbers: a, b")
    page.press("leave it out", "#panel")
    page.says("(2,2):(1,8)")


# Notations.


def test_every_notation_can_be_copied_and_what_has_none_shows_its_witness(page):
    page.open(TILE, "notations")
    page.says("S[(4,8):(8@m,1@m)]")
    page.says("GroupBy([4,8]).OrderBy(Row(4,8))")
    assert len(page.all("#panel button[aria-label^=Copy]")) >= 6
    page.open("[[0,4],[1,9]]", "notations")
    page.says("no CuTe layout")
    page.press("show (1,1)", "#panel")
    page.wait(lambda: ".held=" in page.fragment(), "the witness is held")


# The picture.


def test_cells_have_the_colours_of_their_swatches(page):
    page.open(TILE)
    page.drawn()
    script = """const stage = document.querySelector('#views .stage');
        const {arranged, offset} = stage.view.geometry();
        const place = arranged.places[0];
        const context = stage.querySelector('canvas.cells').getContext('2d');
        const swatches = [...document.querySelectorAll('#views .swatch')].map((one) =>
          getComputedStyle(one).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number));
        return place.panel.cells.color.map((color, cell) => {
          const x = offset.x + place.x + (cell % 8) * place.cell.width + 3;
          const y = offset.y + place.y + Math.floor(cell / 8) * place.cell.height + 3;
          return [[...context.getImageData(x, y, 1, 1).data].slice(0, 3), swatches[color]];
        });"""
    page.wait(lambda: len(page.all("#views .swatch")) >= 8, "the legend")
    page.wait(lambda: all(found == wanted for found, wanted in page.script(script)), "the colours")


def test_tiled_copies_and_tiled_mmas_are_drawn(page):
    page.open("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,0))")
    page.says("a tiled MMA", "#said")
    assert len(page.drawn()) == 3, "A, B and C"
    page.open("make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>, (16,8):(8,1), (1,8):(8,1))")
    page.says("a tiled copy", "#said")
    assert len(page.drawn()) == 2, "source and destination"


def test_a_swizzle_is_coloured_by_the_chunks_that_it_permutes(page):
    page.open("Sw<3,3,3> o 0 o (8,64):(64,1)")
    page.says("floor(index / 8) mod 8", "#views .legend")
    page.save("swizzle")


def test_sizes_without_a_value_are_given_one_in_a_panel(page):
    page.open("(M,8):(8,1)")
    page.says("give every size a value: M==256 in the panel Sizes", "#said")


def test_a_field_for_an_expression_has_a_button_that_asks(page):
    page.open(TILE, "questions")
    page.one("#panel input").send_keys("(4,8):(1,4)")
    page.press("Ask", "#panel")
    page.says("30 of 32 points differ")


def test_what_is_pointed_at_is_told_and_lights_up_on_the_other_side(page):
    page.open(SWIZZLED)
    page.drawn(1)
    page.point(1, 2)
    page.says("index 11", "#facts")
    page.says("(1,2)", "#facts")


def test_a_click_holds_and_escape_lets_go(page):
    page.open(TILE)
    page.point(2, 3, click=True)
    page.wait(lambda: ".held=14" in page.fragment(), "element 14 is held")
    page.all("#views canvas.light")[0].send_keys(Keys.ESCAPE)
    page.wait(lambda: ".held" not in page.fragment(), "nothing is held")


def test_keys_move_hold_and_release(page):
    page.open(TILE)
    page.drawn()
    canvas = page.all("#views canvas.light")[0]
    canvas.send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
    page.wait(lambda: ".held=" in page.fragment(), "a cell is held by keys")
    canvas.send_keys(Keys.ESCAPE)
    page.wait(lambda: ".held" not in page.fragment(), "nothing is held")


def test_an_element_is_held_by_its_coordinate_number_or_owner(page):
    page.open(FRAGMENT)
    page.drawn(1)
    field = page.one("#views .go-to input")
    for asked, held in [("(3,5)", "83"), ("30", "30"), ("lane=3 reg=1", "112")]:
        field.send_keys(Keys.CONTROL, "a", Keys.NULL, asked, Keys.ENTER)
        page.wait(lambda held=held: f".held={held}" in page.fragment(), f"{asked} is held")
    page.says("lane 3", "#facts")
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "(99,0)", Keys.ENTER)
    page.says("(99,0) is not a coordinate here", "#views .why-not")
    assert field.get_attribute("aria-invalid") == "true"
    assert barriers(page) == []
    page.open("(1000,64):(64,1)")
    page.drawn()
    page.one("#views .go-to input").send_keys("(999,63)", Keys.ENTER)
    page.says("(999,63)", "#facts")
    script = """const {arranged, offset, size} =
          document.querySelector('#views .stage').view.geometry();
        const place = arranged.places[0];
        return offset.y + place.y + place.height - size.height"""
    page.wait(lambda: page.script(script) < 20, "the last row is seen")


def test_screen_readers_get_a_table(page):
    page.open(TILE)
    page.wait(lambda: page.all("#views .unseen.table td"), "the table")
    cells = [cell.get_attribute("textContent") for cell in page.all("#views .unseen.table")[0]
             .find_elements("css selector", "tbody td")]
    assert [int(text.split()[0]) for text in cells] == list(range(32))


def choose(page, label, option):
    """Chooses an option beside the pictures, by its text."""
    script = """const select = [...document.querySelectorAll('#views .controls label')]
          .find((one) => one.textContent.startsWith(arguments[0]))?.querySelector('select');
        const option = [...select?.options ?? []].find((one) => one.text === arguments[1]);
        if (!option) return false;
        select.value = option.value;
        select.dispatchEvent(new Event('change', {bubbles: true}));
        return true;"""
    page.wait(lambda: page.script(script, label, option), f"{option} of {label}")


def test_colours_follow_a_digit_of_a_nested_mode(page):
    page.open("((2,2),(2,4)):((1,4),(2,8))")
    page.drawn()
    options = page.wait(lambda: page.script(
        """return [...document.querySelectorAll('#views .controls label:first-child option')]
             .map((one) => one.text)"""), "the digits")
    digits = [one for one in options if one.endswith("2:4")]
    assert digits, options
    choose(page, "colour by", digits[0])
    page.wait(lambda: '"by"' in page.fragment(), "the colours are in the address")
    page.says(digits[0], "#views .legend")


def test_a_walk_lights_one_owner_after_the_other(page):
    page.open(FRAGMENT)
    page.drawn(1)
    choose(page, "walk along", "lane")
    page.says("0", "#views .walk output")
    page.says("4 elements", "#facts")
    page.press("play", "#views")
    page.wait(lambda: page.text("#views .walk output") not in ("", "0"), "the walk goes on")
    page.press("pause", "#views")


def test_pictures_grow_shrink_and_fit(page):
    page.open("(64,64):(64,1)")
    page.drawn()
    zoom = "return document.querySelector('#views .stage').view.geometry().zoom"
    before = page.script(zoom)
    canvas = page.all("#views canvas.light")[0]
    canvas.send_keys("+")
    page.wait(lambda: page.script(zoom) > before, "enlarged")
    canvas.send_keys("-", "-")
    page.wait(lambda: page.script(zoom) < before, "made smaller")
    canvas.send_keys("0")
    page.wait(lambda: page.script(zoom) == before, "fits again")


def test_unowned_places_and_replicas_are_seen(page):
    page.open("(2,2):(0,4)")
    page.says("unowned", "#views")
    script = """const {arranged} =
          document.querySelectorAll('#views .stage')[1].view.geometry();
        const {elements, color} = arranged.places[0].panel.cells;
        return [elements, color];"""
    page.drawn(1)
    elements, colors = page.script(script)
    assert [one for one in elements if isinstance(one, list) and len(one) == 2] == [[0, 1], [2, 3]]
    assert colors.count(-2) == 3


def test_a_dark_page_is_dark_and_has_no_barriers(page):
    media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        page.open(TILE, "questions", {"other": "(4,8):(1,4)"})
        page.says("30 of 32 points differ")
        color = page.script("return getComputedStyle(document.documentElement).backgroundColor")
        assert all(int(part) < 60 for part in color[4:-1].split(","))
        assert barriers(page) == []
        page.save("dark")
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# Panels.


def test_steps_are_told_one_after_the_other(page):
    page.open(COMPOSITION, "steps")
    page.says("step 1 of")
    assert "reads A at 0 3 6 9" not in page.text("#panel")
    page.press("next", "#panel")
    page.says("reads A at 0 3 6 9")
    page.press("all", "#panel")
    page.says("((2,2),3):((24,2),8)")
    page.wait(lambda: page.all("#panel .drawing canvas"), "the operation's picture")
    page.save("steps")
    page.press("((2,2),3):((24,2),8)", "#panel")
    page.wait(lambda: "B=((2,2),3):((24,2),8)" in page.fragment(), "the result is a layout")


def test_a_refusal_is_told_up_to_the_condition_that_fails(page):
    page.open("composition((4,6):(1,5), 6:1)", "steps")
    page.press("all", "#panel")
    page.says("6 is not a multiple of 4")
    page.press("Code", "#tabs")
    page.wait(lambda: page.all("#panel > .diagnostic"), "the panel of a layout says why there is none")


def test_the_counterexample_of_a_no_is_held_in_the_picture(page):
    page.open("(4,8):(8,2)", "questions")
    page.says("no digit form")
    page.press("show it", "#panel")
    page.wait(lambda: ".held=16" in page.fragment(), "coordinate 16 is held")


def test_two_layouts_are_compared_and_a_difference_is_held(page):
    page.open(TILE, "questions")
    page.set("B, in any notation", "(4,8):(1,4)")
    page.says("30 of 32 points differ")
    page.wait(lambda: page.all("#panel .drawing canvas"), "the differences' picture")
    page.press("(1,0)", "#panel")
    page.wait(lambda: "(1,0)" in page.fragment().split(".held=")[-1], "a difference is held")
    page.save("questions")


def test_claims_are_proved_or_refuted(page):
    page.open(TILE, "questions")
    page.set("any expression", f"{TILE} == (4,8):(8,1)")
    page.says("yes digit form")
    page.set("least", "0")
    page.set("end", "20")
    page.says("where at most 19 is needed")


def test_claims_and_questions_name_the_layouts_of_the_page(page):
    page.open({"A": TILE, "B": "(4,8):(1,4)"}, "questions")
    page.set("any expression", "A == composition(A, (4,8):(1,4))")
    page.says("yes digit form")
    page.set("B, in any notation", "B")
    page.says("30 of 32 points differ")
    field = page.all("#panel .offering input")[1]
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "A == composi")
    offers = page.all("#panel .offers")[1]
    page.wait(lambda: "composition(" in offers.text, "operations are offered")
    field.send_keys(Keys.TAB)
    assert field.get_attribute("value") == "A == composition"
    assert barriers(page) == []
    page.set("any expression", "A == E")
    page.says("unknown name 'E'")
    assert page.text("#panel .place mark") == "E"


def test_a_pasted_table_is_recovered_and_taken(page):
    page.open(TILE, "questions")
    page.set("Rows of integers", "0\t8\t16\n1\t9\t17")
    page.says("(2,3):(1,8)")
    page.press("take it", "#panel")
    page.wait(lambda: "B=(2,3):(1,8)" in page.fragment(), "the layout is taken")
    page.open(TILE, "questions")
    page.set("Rows of integers", "0 8\n1 x")
    page.says("line 2, cell 2 is 'x'")


def test_an_npy_file_is_recovered(page, tmp_path):
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + "\n"
    numbers = struct.pack("<6i", 0, 8, 16, 1, 9, 17)
    file = tmp_path / "table.npy"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + numbers)
    page.open(TILE, "questions")
    page.one("#panel input[type=file]").send_keys(str(file))
    page.says("(2,3):(1,8)")
    file.write_bytes(b"no table")
    page.one("#panel input[type=file]").send_keys(str(file))
    page.says("this is not a .npy file")


def test_costs_are_counted_phase_by_phase_and_a_swizzle_is_found(page):
    page.open("(32,8):(1,64)", "costs")
    page.set("The memory", "(64,64):(64,1)")
    page.says("8-way bank conflicts")
    page.says("32, ideally 4")
    page.says("lanes 24 to 31")
    page.says("512 asked for, 1024 moved")
    page.says("Sw<3,3,3> o 0 o (64,64):(64,1)")
    page.wait(lambda: len(page.all("#panel .drawing canvas")) >= 6, "phases, before and after")
    page.save("costs")


def test_costs_begin_with_the_width_of_the_type_and_ask_only_what_applies(page):
    page.open(FRAGMENT_TYPE, "costs")
    page.press("row-major (16,8):(8,1)", "#panel")
    page.says("no bank conflicts")
    page.says("Vectors: left out, because a CuTe layout or a swizzle is needed, this is a linear layout.")
    bits = [one.get_attribute("value") for one in page.all("#panel select")]
    assert "32" in bits and "16" not in bits
    assert "call.type" not in page.text("#panel")
    page.open("Sw<3,4,3> o 0 o (8,64):(64,1)", "costs")
    page.says("The layout is taken for a memory that lanes read down its rows")
    page.says("The access; without one it is assumed")


def test_ldmatrix_says_what_it_takes_or_what_is_in_the_way(page):
    page.open('identity_1d(2, "register", "dim0") * identity_1d(32, "lane", "dim0")', "costs")
    page.set("The memory", 'identity_1d(64, "offset", "dim0")')
    page.says("ldmatrix.x1: 1 instruction, 1 wavefront, no bank conflicts")


def test_a_copy_of_the_tensor_memory_accelerator_is_told(page):
    page.open("(64,64):(64,1)", "costs")
    page.set("The memory", "SW(3,3,3) o S[(64,64):(64,1)]")
    page.says("boxDim")
    page.says("128B")


def test_the_matrix_names_the_swizzle_bits(page):
    page.open(SWIZZLED, "matrix")
    page.says("2 bits are swizzled")
    page.says("dim0 bit 0 ^ dim1 bit 0")
    page.open("(4,6):(8,1)", "matrix")
    page.says("mode 1 has 6 points, not a power of two")


def test_sliders_draw_the_layout_at_a_size(page):
    page.open("(M,8):(8,1)", "symbols")
    page.set("What is known", "M%4==0")
    page.set("M", "12")
    page.says("whatever the sizes")
    page.wait(lambda: len(page.drawn()[0]) == 12 * 8, "12 rows are drawn")
    page.set("M", "16")
    page.wait(lambda: len(page.drawn()[0]) == 16 * 8, "16 rows are drawn")
    page.save("symbols")
    drag = """const range = document.querySelector('#panel input[type=range]');
        for (const value of [20, 24, 28]) {
          range.value = value;
          range.dispatchEvent(new Event('input', {bubbles: true}));
        }
        range.dispatchEvent(new Event('change', {bubbles: true}));
        return [range.min, range.step]"""
    assert page.script(drag) == ["4", "4"]
    page.wait(lambda: len(page.drawn()[0]) == 28 * 8, "28 rows are drawn")
    page.press("Undo")
    page.wait(lambda: len(page.drawn()[0]) == 16 * 8, "one drag is one step")


def test_code_is_written_in_every_language(page):
    page.open(SWIZZLED, "code")
    page.says("__host__ __device__")
    page.set("Language", "mlir")
    # A build without MLIR says so.
    page.wait(lambda: any(said in page.text("#panel") for said in ("func.func @idx", "emit.target")), "MLIR")
    page.set("Names of the coordinates", "row, col")
    page.says("row")
    page.says("\\oplus")


def test_a_kernel_shows_each_operator_and_its_layouts(page):
    page.open(TILE, "kernels")
    page.set("A kernel", TRANSPOSE)
    page.says("copy(tile, A[32*bx : +32, 32*by : +32])")
    page.says("4 elements are not known to be contiguous")
    page.press("draw it", "#panel")
    page.wait(lambda: "tile=SW(0,5,5)" in page.fragment(), "the chosen layout is drawn")
    page.open(TILE, "kernels", {"text": "kernel f(X: f32[N]) launch cta N { X[bx] = }"})
    page.wait(lambda: page.all("#panel .diagnostic"), "the refusal")


def test_instructions_show_who_holds_what(page):
    page.open(TILE, "instructions", {"machine": "sm_80", "filter": "16x8x16 f16"})
    page.press("SM80_16x8x16_F32F16F16F32_TN", "#panel")
    page.says("row 16, col 16")
    page.wait(lambda: page.all("#panel .drawing canvas"), "A, B and C drawn")
    page.press("take it", "#panel")
    page.wait(lambda: "instruction_layout" in page.fragment(), "A's layout is taken")
    page.wait(lambda: len(page.drawn()[0]) == 256, "A is drawn")


# Sessions.


def test_layouts_undo_and_the_address_keep_the_session(page):
    page.open({"A": TILE, "tile": "(8,4):(1,8)"})
    page.press("tile", "#layouts")
    page.wait(lambda: len(page.drawn()[0]) == 32 and page.drawn()[0][1] == 8, "the second layout")
    page.type("(2,2):(2,1)")
    page.wait(lambda: len(page.drawn()[0]) == 4, "the new text")
    page.press("Undo")
    page.wait(lambda: len(page.drawn()[0]) == 32, "undone")
    page.press("Redo")
    page.wait(lambda: len(page.drawn()[0]) == 4, "redone")
    page.wait(lambda: "tile=(2,2):(2,1)" in page.fragment(), "the address of what is shown")
    before = page.fragment()
    page.browser.refresh()
    page.wait(lambda: page.all("#views .stage"), "the page again")
    assert page.fragment() == before
    assert page.drawn()[0] == [0, 1, 2, 3]


def test_a_layout_is_renamed_in_place(page):
    page.open(TILE)
    page.drawn()
    page.all("#layouts button")[0].send_keys(Keys.F2)
    page.wait(lambda: page.all("#layouts input"), "a field for the name")
    page.all("#layouts input")[0].send_keys("smem", Keys.ENTER)
    page.wait(lambda: f"smem={TILE}" in page.fragment(), "the new name")


@pytest.mark.parametrize(
    ("item", "end", "begins"),
    [("SVG", "svg", "<svg"), ("TikZ", "tex", "\\documentclass"), ("HTML", "html", "<!doctype html>"),
     (".heddle", "heddle", "A = (4,8):(8,1)"), ("PNG", "png", "\x89PNG")],
)
def test_files_are_given_away(page, item, end, begins):
    page.open(TILE)
    page.drawn()
    for old in page.browser.downloads.iterdir():
        old.unlink()
    page.one("#actions summary").click()
    page.press(item, "#actions")
    found = page.wait(
        lambda: [one for one in page.browser.downloads.iterdir() if one.suffix == f".{end}"], item
    )
    text = page.wait(lambda: found[0].read_bytes(), item).decode("latin1")
    assert begins in text[:200]


def test_the_program_that_is_given_away_runs(page):
    blocked = "sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]"
    dump = f"#blocked = #ttg.blocked<{{{blocked}}}>" + """
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #blocked>, %b: tensor<16x32xf16, #blocked>) { tt.return }
}
"""
    layouts = {"A": "composition(smem_tile, 4:1)", "smem tile": TILE, "smem_tile": "(M,8):(8,1)",
               "dump": dump, "table": "0\t8\n1\t9", "if": "B = 8:1\nB o 4:2", "bad": "(4,8", "A ": "16:1"}
    page.open(layouts, assume="M%4==0")
    page.wait(lambda: page.all("#actions summary"), "the menu")
    for old in page.browser.downloads.iterdir():
        old.unlink()
    page.one("#actions summary").click()
    page.press(".heddle", "#actions")
    found = page.wait(lambda: list(page.browser.downloads.glob("*.heddle")), "the program")[0]
    text = page.wait(lambda: found.read_text(), "its text")
    ran = subprocess.run([HEDDLE, "run", found], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, text + ran.stdout + ran.stderr
    for name in ("smem_tile", "smem_tile_2", "A", "A_", "table", "if_B", "if_L2"):
        assert f"\n{name} = " in text, text
    assert "# bad: '(' is not closed" in text


# Everywhere.


def barriers(page):
    """What axe-core finds on the page."""
    script = Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js"
    page.script(script.read_text())
    found = page.browser.execute_async_script(
        "const done = arguments[0]; axe.run().then(({violations}) => done(violations))"
    )
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"][:3]]


@pytest.mark.parametrize("panel", PANELS)
def test_no_barrier_is_found_by_axe(page, panel):
    page.open(COMPOSITION, panel, {"text": TRANSPOSE, "other": "(4,3):(3,1)", "machine": "sm_80"})
    page.wait(lambda: page.all("#panel > *") and page.all("#views canvas"), "the panel")
    time.sleep(0.3)
    assert barriers(page) == []


@pytest.mark.parametrize("panel", PANELS)
def test_a_phone_shows_everything_within_its_width(page, panel):
    page.resize(390, 844)
    page.open(TILE, panel, {"text": TRANSPOSE, "other": "(4,8):(1,4)", "machine": "sm_80"})
    page.wait(lambda: page.all("#panel > *"), "the panel")
    time.sleep(0.3)
    assert page.script("return document.documentElement.scrollWidth") <= 390
    right = "return document.querySelector('#tabs [aria-selected=true]').getBoundingClientRect().right"
    assert page.script(right) <= 390
    page.save(f"phone_{panel}")


@pytest.mark.parametrize("panel", PANELS)
def test_pasted_texts_are_never_markup(page, panel):
    asked = {key: HOSTILE for key in ("other", "claim", "table", "names", "text", "filter", "instruction")}
    page.open({"A": HOSTILE, HOSTILE: TILE}, panel, asked, assume=HOSTILE, by=HOSTILE)
    page.wait(lambda: page.all("#panel > *"), "the panel")
    page.press(HOSTILE, "#layouts")
    time.sleep(0.3)
    assert page.script("return window.stolen ?? null") is None
    assert page.all("#input script, #panel script, #views script, #panel img, #layouts img") == []
    assert HOSTILE in page.text("#layouts")


# How fast it is: measured from outside, with what the driver takes.


def test_the_first_picture_comes_soon_after_pasting(page):
    page.open("")
    page.one("#input textarea")
    measured = page.milliseconds(lambda: paste(page, SWIZZLED),
                                 lambda: page.all("#views .stage canvas"), "the picture")
    within(measured, 300, "from pasting to the first picture")


def test_pointing_at_ten_thousand_cells_answers_at_once(page):
    page.open("(100,100):(100,1)")
    page.drawn()
    x, y = page.cell(3, 3)
    script = """const [x, y, done] = arguments;
        const canvas = document.querySelector('#views canvas.light');
        const at = canvas.getBoundingClientRect();
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        (async () => {
          const times = [];
          for (let step = 0; step < 40; ++step) {
            await frame();
            const begin = performance.now();
            canvas.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, pointerId: 1,
              pointerType: 'mouse', isPrimary: true, clientX: at.left + x + 4 * step,
              clientY: at.top + y + 3 * step}));
            await frame();
            times.push(performance.now() - begin);
          }
          done(Math.max(...times));
        })();"""
    slowest = page.browser.execute_async_script(script, x, y)
    within(slowest, 50, "the slowest of 40 pointings at 10,000 cells, drawn")
    assert "index" in page.text("#facts")


def test_a_million_cells_open(page):
    begin = time.monotonic()
    page.open("(1000,1000):(1000,1)")
    cells = page.wait(lambda: page.script(
        """const {arranged} = document.querySelector('#views .stage')?.view?.geometry() ?? {};
           return arranged?.places[0].panel.cells.text.length"""), "the picture")
    within((time.monotonic() - begin) * 1000, 2000, "from opening to a picture of 10^6 cells")
    assert cells == 1000 * 1000


def test_the_state_of_the_address_is_json_where_it_is_data(page):
    page.open(TILE, "costs", {"other": "(64,64):(64,1)"})
    page.says("bank")
    kept = page.fragment().split(".options=")[1]
    assert json.loads(kept)["panels"]["costs"]["other"] == "(64,64):(64,1)"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture
def static_pages(tmp_path):
    """Writes static pages of layouts and serves them: the address."""
    servers = []

    def serve(*layouts):
        folder = tmp_path / f"pages{len(servers)}"
        subprocess.run([HEDDLE, "explore", "--static", folder, *layouts], check=True, capture_output=True)
        handler = functools.partial(QuietHandler, directory=folder)
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/"

    yield serve
    for server in servers:
        server.shutdown()


def missed_on(browser, address, count):
    """What a static page's console says after all panels were opened for all of its layouts."""
    page = Page(browser, address)
    browser.get_log("browser")
    browser.get(page.address)
    tabs = "#layouts .layout > button:first-child"
    page.wait(lambda: len(page.all(tabs)) == count, "the layouts")
    for layout in range(count):
        page.script("document.querySelectorAll(arguments[0])[arguments[1]].click()", tabs, layout)
        page.wait(lambda: page.text("#said"), "what it is")
        for panel in range(len(PANELS)):
            page.script("document.querySelectorAll('#tabs button')[arguments[0]].click()", panel)
            page.wait(lambda: page.all("#panel > *"), "the panel")
            time.sleep(0.05)
    said = [entry["message"] for entry in browser.get_log("browser")]
    return [one for one in said if "explore.static" in one or "Error" in one]


def test_a_static_page_answers_what_every_panel_asks(browser, static_pages):
    """Panel after panel, layout after layout; the page says in the console what it misses."""
    blocked = "sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]"
    layouts = [SWIZZLED, COMPOSITION, f"tensor<32x32xf16, #ttg.blocked<{{{blocked}}}>>",
               "S[(4,8):(8@m,1@m)]", "GroupBy([6,6]).OrderBy(Row(6,6))", "[[0,4],[1,9]]",
               "assume M%8==0\n(M,8):(8,1)", "(3,5):(7,1)", FRAGMENT_TYPE, TRANSPOSE, "size(8:1)",
               f"#ttg.blocked<{{{blocked}}}>",
               (ROOT / "tests/facts/corpus/logs/cutlass1499.log").read_text()]
    assert missed_on(browser, static_pages(*layouts), len(layouts)) == []


def test_the_gallery_answers_what_every_panel_asks(browser, static_pages):
    """A fourth of the gallery: scripts/release-check goes over all of it."""
    files = sorted((ROOT / "docs/gallery").glob("*.heddle"))
    assert len(files) >= 20
    if not os.environ.get("HEDDLE_WHOLE_GALLERY"):
        files = files[::4]
    assert missed_on(browser, static_pages(*files), len(files)) == []


def test_a_picture_as_a_file_draws_itself(browser, tmp_path):
    path = tmp_path / "layout.html"
    subprocess.run([HEDDLE, "draw", TILE, "-o", path], check=True)
    browser.get(path.as_uri())
    WebDriverWait(browser, PATIENCE).until(
        lambda _: browser.execute_script("return document.querySelector('canvas')?.width ?? 0") > 0)
    controls = browser.execute_script("return document.querySelector('.controls').textContent")
    assert "colour by" in controls
    assert "thread-value" not in controls, "nobody draws it anew"
    assert browser.get_log("browser") == []


def test_a_static_page_opened_as_a_file_says_how_to_open_it(browser, tmp_path):
    folder = tmp_path / "pages"
    subprocess.run([HEDDLE, "explore", "--static", folder, TILE], check=True, capture_output=True)
    browser.get((folder / "index.html").as_uri())
    note = browser.find_element("id", "unserved")
    shown = lambda _: note.value_of_css_property("opacity") == "1"  # noqa: E731
    WebDriverWait(browser, PATIENCE).until(shown)
    assert "python3 -m http.server" in note.text


def test_a_static_page_leaves_no_old_answer_beside_a_question_that_it_cannot_answer(browser, static_pages):
    page = Page(browser, static_pages(TILE))
    browser.get(page.address)
    page.drawn()
    page.type("(2,2):(2,1)")
    page.says("it has only the answers that it was made with", "#said")
    page.wait(lambda: not page.all("#views figure"), "no picture")
    browser.get_log("browser")
