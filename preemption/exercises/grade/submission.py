"""Read a submitted notebook: its functions, and the statements that each of them needs."""

import ast
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from preemption.exercises.stand_ins import names_in

EVERYTHING = "*"  # what `from module import *` binds
_NOT_READ = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Statement:
    """A statement of a cell: the global names that it binds and that it uses.

    `defines` is the name of a function that it defines, `is_stub` whether that does nothing.
    """

    place: str
    source: str
    binds: frozenset[str]
    uses: frozenset[str]
    defines: str = ""
    is_stub: bool = False


@dataclass(frozen=True)
class Submission:
    """The statements of a notebook in their order, and by cell what cannot be read."""

    statements: tuple[Statement, ...]
    broken: dict[str, str]

    def definitions(self, name: str) -> list[Statement]:
        """Return what defines a function of this name, in order."""
        return [each for each in self.statements if each.defines == name]


def read(path: Path) -> Submission:
    """Read a notebook. Raises OSError for no readable file, ValueError for no notebook."""
    try:
        notebook = json.loads(path.read_bytes())
        sources = [
            cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]
    except (TypeError, KeyError, RecursionError, MemoryError) as error:
        raise ValueError(f"no notebook: {type(error).__name__} ({error})") from None
    statements: list[Statement] = []
    broken: dict[str, str] = {}
    for number, source in enumerate(sources, 1):
        place = f"code cell {number}"
        try:
            statements += statements_of(source, place)
        except _NOT_READ as error:
            broken[place] = f"{type(error).__name__} ({error})"
    return Submission(tuple(statements), broken)


def statements_of(source: str, place: str) -> list[Statement]:
    """Return the statements of a cell. Raises SyntaxError and what else Python's parser does."""
    magics: Any = TransformerManager
    tree = ast.parse(magics().transform_cell(source))
    return [_statement(node, place) for node in tree.body]


def needed(name: str, statements: Iterable[Statement]) -> list[Statement]:
    """Return those statements, in their order, without which `name` is not what it is.

    A stub counts for nothing where the same function is also written out.
    """
    written = {each.defines for each in statements if each.defines and not each.is_stub}
    kept = [each for each in statements if not (each.is_stub and each.defines in written)]
    names = {name, EVERYTHING}
    while True:
        chosen = [each for each in kept if each.binds & names]
        more = names.union(*(each.uses for each in chosen))
        if more == names:
            return chosen
        names = more


def _statement(node: ast.stmt, place: str) -> Statement:
    code = compile(ast.Module([node], []), place, "exec")
    binds, uses = names_in(code)
    if isinstance(node, ast.ImportFrom) and node.names[0].name == EVERYTHING:
        binds = {EVERYTHING}
    if isinstance(node, ast.Assign | ast.AugAssign):  # also of an entry: rates["x"] = 1
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = (part for target in targets for part in ast.walk(target))
        binds |= {part.id for part in parts if isinstance(part, ast.Name)}
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    is_lambda = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    return Statement(
        place,
        ast.unparse(node),
        frozenset(binds),
        frozenset(uses),
        defines=min(binds) if (is_function or is_lambda) and binds else "",
        is_stub=isinstance(node, ast.FunctionDef) and all(map(_does_nothing, node.body)),
    )


def _does_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(ast.Constant()) | ast.Return(None):
            return True
        case ast.Return(ast.Constant(value)):
            return value in (None, Ellipsis)
        case ast.Raise(ast.expr() as error):
            return ast.unparse(error).startswith("NotImplementedError")
    return False
