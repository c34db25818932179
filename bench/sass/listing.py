"""Reads machine code as nvdisasm prints it: the instructions of a kernel, its loops, what a loop is made of.

    kernel = read(text, "gemm")           of the listing of a cubin
    loop = main_loop(kernel, tile=64)     tile: what a warp multiplies for one tile, in m16n8k16
    loop.tiles                            1: how many tiles an iteration is
    loop.mix["integer"]                   47: the integer instructions of an iteration

A listing is that of `nvdisasm -c`, whose labels name the targets of branches.
"""

import collections
import dataclasses
import functools
import re

MATRIX = "matrix"
CLASSES = {
    MATRIX: "HMMA IMMA BMMA DMMA",
    "integer": "IADD IADD3 IMAD IMUL ISCADD LEA LOP LOP3 PLOP3 SHF SHL SHR ISETP ICMP SEL PRMT IABS IMNMX "
               "BMSK SGXT BREV FLO POPC VABSDIFF VABSDIFF4 IDP IDP4A I2I P2R R2P PSETP XMAD BFE BFI",
    "move": "MOV MOV32I CS2R S2R",
    "LDSM": "LDSM",
    "LDGSTS": "LDGSTS",
    "shared": "LDS STS ATOMS MOVM",
    "global": "LD ST LDG STG LDL STL LDC RED ATOM ATOMG",
    "barrier": "BAR DEPBAR LDGDEPBAR WARPSYNC MEMBAR ERRBAR ARRIVES",
    "branch": "BRA BRX BRXU JMP CALL RET EXIT BSSY BSYNC BREAK BMOV YIELD NANOSLEEP BPT KILL",
    "float": "FADD FMUL FFMA FMNMX FSEL FSET FSETP FSWZADD FCHK MUFU F2F F2FP F2I I2F I2FP FRND HADD2 HMUL2 "
             "HFMA2 HMNMX2 HSET2 HSETP2 DADD DMUL DFMA DSETP",
    "filler": "NOP",
    "uniform": "R2UR S2UR VOTEU",  # and all whose name begins with U
    "other": "SHFL VOTE MATCH REDUX",  # and all that are not named here
}
CLASS_OF = {name: of for of, names in CLASSES.items() for name in names.split()}

LABEL = re.compile(r"^\s*([.\w$]+):\s*$")
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*?)\s*;")
TARGET = re.compile(r"`\(([.\w$]+)\)")
SECTION = re.compile(r"^\s*\.section\s+([^,\s]+)")
# Moves in the clothes of arithmetic: what is added to a product with zero, and bytes left in order.
ZERO_PRODUCT = re.compile(r"^\w+, -?RZ, -?RZ, ")
BYTES_IN_ORDER = re.compile(r"^\w+, (\w+)(?:\.reuse)?, (?:0x3210, \w+|0x7610, \1)(?:\.reuse)?$")
# The shape of a multiplication, m16n8k16 if it is not said.
SHAPE = re.compile(r"\.(16)(8)(16|8|32|64)\.")


class Unreadable(Exception):
    """A listing that is none, or whose branches cannot be followed."""


@dataclasses.dataclass(frozen=True)
class Instruction:
    address: int
    predicate: str  # "P0", "!UP1", or nothing
    opcode: str
    operands: str

    @property
    def name(self):
        return self.opcode.partition(".")[0]

    @property
    def target(self):
        """The label that a branch names."""
        found = TARGET.search(self.operands)
        return found[1] if found else None

    @property
    def is_move(self):
        if self.name == "PRMT":
            return bool(BYTES_IN_ORDER.match(self.operands))
        if self.opcode.startswith("IMAD.MOV"):
            return True
        adds = self.opcode in ("IMAD", "IMAD.U32") or self.name == "HFMA2"
        return adds and bool(ZERO_PRODUCT.match(self.operands))

    @property
    def work(self):
        """What it multiplies, in m16n8k16."""
        if self.kind != MATRIX:
            return 0
        found = SHAPE.search(self.opcode)
        return int(found[3]) / 16 if found else 1

    @property
    def kind(self):
        """The class that it is counted in."""
        if self.predicate in ("!PT", "!UPT"):
            return "filler"
        if self.is_move:
            return "move"
        return CLASS_OF.get(self.name, "uniform" if self.name.startswith("U") else "other")


@dataclasses.dataclass(frozen=True)
class Kernel:
    instructions: list
    labels: dict  # label: the index of the instruction after it

    @functools.cached_property
    def successors(self):
        """For each instruction the indices of those that may come after it."""
        joins = collections.defaultdict(set)
        for each in self.instructions:
            if each.name == "BSSY":
                joins[each.operands.partition(",")[0]].add(self.labels[each.target])
        return [self._after(i, each, joins) for i, each in enumerate(self.instructions)]

    def _after(self, index, instruction, joins):
        falls = {index + 1} if index + 1 < len(self.instructions) else set()
        goes_on = falls if instruction.predicate else set()
        if instruction.name in ("BRX", "BRXU", "JMP"):
            raise Unreadable(f"{instruction.opcode} at {instruction.address:#x}: its target is not in the listing")
        if instruction.name in ("EXIT", "RET", "KILL"):
            return goes_on
        if instruction.name == "BSYNC":
            return falls | joins[instruction.operands]
        # ptxas also writes a branch as a call that never comes back, of a place that has no name.
        if instruction.name == "BRA" or (instruction.name == "CALL" and (instruction.target or "").startswith(".L")):
            # BRA.DIV and BRA.CONV are taken where the warp's threads are or are not together.
            depends = instruction.opcode.startswith(("BRA.DIV", "BRA.CONV")) or "UP" in instruction.operands
            return {self.labels[instruction.target]} | (falls if depends else goes_on)
        return falls


@dataclasses.dataclass(frozen=True)
class Loop:
    """The instructions of one iteration, with those of loops within it as often as these are run."""

    mix: collections.Counter      # how many of each class
    opcodes: collections.Counter  # how many of each name, with its predicate where it is a filler
    matrix: list                  # how those that multiply are written
    work: float                   # what they multiply, in m16n8k16
    tiles: float                  # what that is in tiles
    trips: int                    # how often loops within it are run

    def per_work(self, kind):
        """Instructions of a class for each m16n8k16."""
        return self.mix[kind] / self.work


def read(text, name):
    """The kernel `name` of a listing."""
    section, instructions, labels, pending = None, [], {}, []
    for line in text.splitlines():
        if found := SECTION.match(line):
            section = found[1]
        elif section != f".text.{name}":
            continue
        elif found := LABEL.match(line):
            pending.append(found[1])
        elif found := INSTRUCTION.match(line):
            labels.update(dict.fromkeys(pending, len(instructions)))
            pending = []
            instructions.append(Instruction(int(found[1], 16), found[2] or "", found[3], found[4]))
    if not instructions:
        raise Unreadable(f"there is no kernel {name} in the listing")
    return Kernel(instructions, labels)


def _reached(start, neighbours, but=None):
    """What is reached from `start` without passing through `but`."""
    seen, open_ = {start}, [start]
    while open_:
        index = open_.pop()
        if index == but:
            continue
        for after in neighbours[index]:
            if after not in seen:
                seen.add(after)
                open_.append(after)
    return seen


def loops(kernel):
    """The natural loops as sets of indices, smallest first: those that return to the same place are one."""
    predecessors = [[] for _ in kernel.instructions]
    for index, successors in enumerate(kernel.successors):
        for after in successors:
            predecessors[after].append(index)
    found = {}
    for index, successors in enumerate(kernel.successors):
        for head in successors:
            if head <= index and index in _reached(head, kernel.successors):
                body = _reached(index, predecessors, but=head)
                found[head] = found.get(head, set()) | (body & _reached(head, kernel.successors))
    return sorted(found.values(), key=len)


def mix(instructions):
    """How many instructions each class has."""
    return collections.Counter(each.kind for each in instructions)


def _opcodes(instructions):
    return collections.Counter(
        f"@!PT {each.name}" if each.kind == "filler" and each.predicate else each.name for each in instructions)


def _counted(kernel, outside, inside, trips, tile):
    chosen = [kernel.instructions[i] for i in sorted(outside)]
    chosen += [kernel.instructions[i] for i in sorted(inside)] * trips
    matrix = sorted({each.opcode for each in chosen if each.kind == MATRIX})
    work = sum(each.work for each in chosen)
    return Loop(mix(chosen), _opcodes(chosen), matrix, work, work / tile, trips)


def main_loop(kernel, tile):
    """The smallest loop that multiplies matrices for whole tiles of `tile` m16n8k16 a warp; None without one.

    A loop that holds smaller ones, because the tile is not unrolled, is counted with as many of their
    iterations as make one tile. Where nothing makes whole tiles, the smallest loop is counted as it is,
    and `tiles` is a fraction.
    """
    def work(indices):
        return sum(kernel.instructions[i].work for i in indices)

    candidates = [body for body in loops(kernel) if work(body)]
    for number, body in enumerate(candidates):
        inside = set().union(*(inner for inner in candidates[:number] if inner < body))
        within, without = work(inside), work(body - inside)
        if not within and without % tile == 0:
            return _counted(kernel, body, set(), 1, tile)
        if within and without < tile and (tile - without) % within == 0:
            return _counted(kernel, body - inside, inside, int((tile - without) // within), tile)
    return _counted(kernel, candidates[0], set(), 1, tile) if candidates else None
