"""The mutants of a source file: one small change of its text each."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import TypeAlias, TypeGuard

# By the operator: the pattern that finds it between its operands, and what takes its place.
Operators: TypeAlias = Mapping[type[ast.AST], tuple[str, str]]

COMPARISONS: Operators = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
ARITHMETIC: Operators = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
}
JUNCTIONS: Operators = {ast.And: ("and", "or"), ast.Or: ("or", "and")}

UNSEEN: Mapping[str, tuple[str, ...]] = {
    "dataclass": ("slots", "frozen", "kw_only"),
    "zip": ("strict",),
    "lru_cache": ("maxsize",),
}
"""The arguments that are left as they are. Slots and sizes save memory and time. The others forbid something:
without them all that works does the same, but for hashing what is frozen, which fails at once."""


@dataclass(frozen=True)
class Mutant:
    """A change of a file: the kind, and the text that takes the place of what is between two offsets."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """The source with the change; offsets count bytes of UTF-8, as those of `ast` do."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """The change, as `diff -u` shows it."""
        before, after = (text.decode().splitlines(keepends=True) for text in (source, self.apply(source)))
        return "".join(unified_diff(before, after, self.file, self.file, n=2))


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    found = _Finder(file, source).find()
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self._file = file
        self._source = source
        self._tree = ast.parse(source)
        self._line_starts = [0]
        for line in source.splitlines(keepends=True):
            self._line_starts.append(self._line_starts[-1] + len(line))

    def find(self) -> Iterator[Mutant]:
        unseen = {
            id(each.value)
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            for each in node.keywords
            if each.arg in UNSEEN.get(node.func.id, ()) and ast.unparse(each.value) != "False"
        }
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Compare):
                yield from self._comparisons(node)
            elif isinstance(node, ast.BoolOp):
                yield from self._junctions(node)
            elif isinstance(node, ast.If | ast.While | ast.IfExp):
                yield from self._condition(node.test)
            elif isinstance(node, ast.comprehension):
                for test in node.ifs:
                    yield from self._condition(test)
            elif isinstance(node, ast.BinOp):
                yield from self._operator("arithmetic", ARITHMETIC, node.op, node.left, node.right)
            elif isinstance(node, ast.Constant) and id(node) not in unseen:
                yield from self._constant(node)
            elif isinstance(node, ast.Raise):
                yield self._replace("dropped raise", node, "pass")
            elif _is_call(node):
                yield self._replace("dropped call", node, "pass")

    def _comparisons(self, node: ast.Compare) -> Iterator[Mutant]:
        operands = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            yield from self._operator("comparison", COMPARISONS, operator, left, right)

    def _junctions(self, node: ast.BoolOp) -> Iterator[Mutant]:
        """Exchange `and` and `or`, and leave each of the operands out."""
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from self._operator("condition", JUNCTIONS, node.op, left, right)
        for dropped in node.values:
            kept = [f"({self._text(each)})" for each in node.values if each is not dropped]
            joined = f" {JUNCTIONS[type(node.op)][0]} ".join(kept)
            yield self._replace("condition", node, joined if len(kept) == 1 else f"({joined})")

    def _condition(self, test: ast.expr) -> Iterator[Mutant]:
        # A comparison has a mutant of its own that does the same.
        if not isinstance(test, ast.Compare) and not _is_for_type_checkers(test):
            yield self._replace("condition", test, f"(not ({self._text(test)}))")

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        # Texts are left out: most are names and messages, which the reference's pages and the pins show.
        if isinstance(node.value, bool):
            yield self._replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            yield self._replace("constant", node, str(node.value + 1))

    def _operator(
        self, kind: str, table: Operators, operator: ast.AST, left: ast.expr, right: ast.expr
    ) -> Iterator[Mutant]:
        """Exchange the operator between two operands, beside which there may be parentheses."""
        if type(operator) not in table or (kind == "arithmetic" and (_is_text(left) or _is_text(right))):
            return
        pattern, text = table[type(operator)]
        start, end = self._span(left)[1], self._span(right)[0]
        match = re.search(pattern, self._source[start:end].decode())
        if match is not None:
            where = start + match.start(), start + match.end()
            yield Mutant(self._file, self._line_of(where[0]), kind, *where, text)

    def _replace(self, kind: str, node: ast.expr | ast.stmt, text: str) -> Mutant:
        return Mutant(self._file, node.lineno, kind, *self._span(node), text)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._line_starts[node.lineno - 1] + node.col_offset
        return start, self._line_starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _line_of(self, offset: int) -> int:
        return self._source.count(b"\n", 0, offset) + 1


def _is_call(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a node is a statement that only calls something."""
    if not isinstance(node, ast.Expr):
        return False
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    return isinstance(value, ast.Call)


def _is_for_type_checkers(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _is_text(node: ast.expr) -> bool:
    """Whether an operand is visibly a text or a list, with which other operators make no program."""
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )
