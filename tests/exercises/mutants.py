"""Mutants of a solution: each changes one thing, wherever the operators below apply.

`example` are the arguments of the call that a reader is shown, by parameter; `results` are
right results of some calls.
"""

import ast
import copy
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
NUMERIC_CALLS = {"sum", "len", "recompute_ms", "swap_ms"}
FRACTIONS = {"ms_per_token", "bandwidth_bytes_per_s", "load_ms"}
# Put after a right call, each leaves another argument than came. Not all fit all arguments.
SPOILERS = (
    "{0}.clear()",
    "{0}.reverse()",
    "{0}.sort(key=str)",
    "{0}.append({0}[0])",
    "{0}[0] = {0}[-1]",
    "{0}[0][0] = None",
    "{0}[0].pop()",
    "{0}.popitem()",
    "{0}['new'] = 1",
    "{0}[next(iter({0}))] += 1",
    "{0}[next(iter({0}))] = {0}.pop(next(iter({0})))",
)


def mutants(source: str, example: dict[str, Any], results: list[Any]) -> Iterator[tuple[str, str]]:
    """Pairs of operator and source, none twice and none like the original."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for operator, mutant in _all(tree, example, results):
        try:
            text = ast.unparse(ast.parse(ast.unparse(mutant)))
        except SyntaxError:
            continue
        if text not in seen:
            seen.add(text)
            yield operator, text


def difference(source: str, mutant: str) -> str:
    """The changed lines of a mutant, in short."""
    before = ast.unparse(ast.parse(source)).splitlines()
    return " | ".join(line.strip() for line in mutant.splitlines() if line not in before)


def _all(
    tree: ast.Module, example: dict[str, Any], results: list[Any]
) -> Iterator[tuple[str, ast.AST]]:
    defaults = tree.body[0].args.defaults
    for index, node in enumerate(ast.walk(tree)):
        for operator, new in _changes(node, example):
            place = "wrong default" if node in defaults else operator
            yield place, _replaced(tree, index, new)
    yield from _whole_changes(tree, example, results)


def _replaced(tree: ast.Module, index: int, new: ast.AST | None) -> ast.AST:
    tree = copy.deepcopy(tree)
    old = list(ast.walk(tree))[index]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return new if node is old else self.generic_visit(node)

    return ast.fix_missing_locations(Replace().visit(tree))


def _expr(text: str, **nodes: ast.AST) -> ast.expr:
    """An expression in which the given names stand for nodes."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return copy.deepcopy(nodes[node.id]) if node.id in nodes else node

    return Fill().visit(ast.parse(text, mode="eval").body)


def _changes(node: ast.AST, example: dict[str, Any]) -> Iterator[tuple[str, ast.AST | None]]:
    for kind, change in CHANGES:
        if isinstance(node, kind):
            yield from change(node)
    if _is_number(node, example):
        for operator, texts in NUMBER_CHANGES.items():
            if operator == "rounding" and not _may_be_fraction(node):
                continue
            for text in texts:
                yield operator, _expr(text, x=node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in example:
        for other in example.keys() - {node.id}:
            yield "wrong argument", ast.Name(other, ast.Load())


NUMBER_CHANGES = {
    "factor doubled": ["2 * x", "x / 2"],
    "units of 1,000": ["x * 1000", "x / 1000", "x * 1024 / 1000"],
    "rounding": ["round(x)", "round(x, 1)", "round(x, 3)", "int(x)"],
    "off by one": ["x + 1", "x - 1"],
    "sign": ["-x"],
}


def _is_number(node: ast.AST, example: dict[str, Any]) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return type(example.get(node.id)) in (int, float) and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in NUMERIC_CALLS
    return isinstance(node, ast.BinOp)


def _may_be_fraction(node: ast.AST) -> bool:
    """Whether rounding can change it: tokens, bytes, blocks and slots are whole."""
    if isinstance(node, ast.BinOp):
        division = isinstance(node.op, ast.Div)
        return division or _may_be_fraction(node.left) or _may_be_fraction(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id.endswith("_ms")
    return isinstance(node, ast.Name) and node.id in FRACTIONS


def _compare(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    kind = type(node.ops[0])
    if kind in ORDER:
        others: tuple[type[ast.cmpop], ...] = tuple(op for op in ORDER if op is not kind)
    else:
        others = (ast.Is if kind is ast.IsNot else ast.IsNot,)
    for other in others:
        yield "comparison", ast.Compare(node.left, [other()], node.comparators)
    if kind in ORDER[:4]:
        yield "comparison", ast.Compare(node.comparators[0], node.ops, [node.left])
    yield "comparison", ast.Constant(True)
    yield "comparison", ast.Constant(False)


def _binary(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    yield "term or factor dropped", node.left
    yield "term or factor dropped", node.right
    for op in (ast.Add(), ast.Sub(), ast.Mult(), ast.Div()):
        if type(op) is not type(node.op):
            yield "other operator", ast.BinOp(node.left, op, node.right)
    if not isinstance(node.op, ast.Add | ast.Mult):
        yield "other operator", ast.BinOp(node.right, node.op, node.left)
    if isinstance(node.op, ast.Div):
        yield "integer division", ast.BinOp(node.left, ast.FloorDiv(), node.right)


def _constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield "flag flipped", ast.Constant(not node.value)
    elif node.value in ("recompute", "swap"):
        yield "other word", ast.Constant("swap" if node.value == "recompute" else "recompute")
        yield "other word", ast.Constant(node.value.capitalize())
        yield "other word", ast.Constant("")
    elif isinstance(node.value, int | float):
        for value in (0, 1, -1, 10 * node.value, 1024 if node.value == 1000 else 100):
            yield "other constant", ast.Constant(value)
    elif node.value is None:
        yield "other constant", ast.Constant("")


def _choice(node: ast.IfExp) -> Iterator[tuple[str, ast.AST]]:
    yield "branches swapped", ast.IfExp(node.test, node.orelse, node.body)
    yield "branch dropped", node.body
    yield "branch dropped", node.orelse


def _call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in ("min", "max"):
        other = ast.Name("max" if name == "min" else "min", ast.Load())
        yield "largest, not smallest", ast.Call(other, node.args, node.keywords)
    if node.keywords:
        yield "key dropped", ast.Call(node.func, node.args, [])
        for text in ("list(x)[::-1]", "sorted(x)[::-1]"):
            turned = _expr(text, x=node.args[0])
            yield "last on ties", ast.Call(node.func, [turned], node.keywords)
    if name == "range":
        yield "off by one", _expr("range(1, x)", x=node.args[0])
    if name == "swap_ms":
        one_way = ast.keyword("round_trip", ast.Constant(False))
        yield "one way only", ast.Call(node.func, node.args, [one_way])


def _tuple(node: ast.Tuple) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        first, second = node.elts
        for text in TIES:
            yield "ties", _expr(text, x=first, name=second)


TIES = (
    "x",
    "name",
    "(name, x)",
    "(-x, name)",
    "(x, tuple(-ord(char) for char in name))",
    "(x, name.lower())",
    "(x, len(name), name)",
    "(x, -len(name), name)",
    "(x, name[::-1])",
    "(x // 2, name)",
    "(x // 100, name)",
    "(str(x), name)",
)


def _comprehension(node: ast.comprehension) -> Iterator[tuple[str, ast.AST]]:
    if node.ifs:
        test = node.ifs[0]
        yield "filter dropped", ast.comprehension(node.target, node.iter, [], 0)
        yield (
            "filter turned round",
            ast.comprehension(node.target, node.iter, [ast.UnaryOp(ast.Not(), test)], 0),
        )
    for text in ("list(x)[1:]", "list(x)[:-1]", "list(x) + list(x)[-1:]"):
        other = _expr(text, x=node.iter)
        yield "off by one", ast.comprehension(node.target, other, node.ifs, 0)


def _list_comprehension(node: ast.ListComp) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.elt, ast.List):
        yield "aliasing", _expr("[x] * len(list(y))", x=node.elt, y=node.generators[0].iter)


def _subscript(node: ast.Subscript) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.slice, ast.Name):
        yield "off by one", _expr("x[i - 1]", x=node.value, i=node.slice)


def _return(node: ast.Return) -> Iterator[tuple[str, ast.AST]]:
    for text in ("None", "[x]", "(x, x)", "x and None", "float('nan')", "True"):
        yield "other result", ast.Return(_expr(text, x=node.value))
    if isinstance(node.value, ast.BinOp):
        yield "other result", ast.Return(_expr("str(x)", x=node.value))
    yield "return forgotten", ast.Expr(node.value)


def _if(node: ast.If) -> Iterator[tuple[str, ast.AST | None]]:
    yield "missing error", None
    for statement in ("return 0", "return None", "return ''", "pass", "raise", "return []"):
        yield "missing error", ast.If(node.test, ast.parse(statement).body, [])


def _raise(_node: ast.Raise) -> Iterator[tuple[str, ast.AST]]:
    for error in ("TypeError", "KeyError", "IndexError", "ZeroDivisionError", "Exception"):
        yield "wrong error", ast.Raise(_expr(f"{error}('no')"))


def _statement(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    if not isinstance(node, ast.FunctionDef | ast.Return | ast.Raise | ast.If):
        yield "statement dropped", ast.Pass()


CHANGES: tuple[tuple[type[ast.AST], Callable[..., Iterator[tuple[str, Any]]]], ...] = (
    (ast.Compare, _compare),
    (ast.BinOp, _binary),
    (ast.UnaryOp, lambda node: [("sign", node.operand)]),
    (ast.Constant, _constant),
    (ast.IfExp, _choice),
    (ast.Call, _call),
    (ast.Tuple, _tuple),
    (ast.comprehension, _comprehension),
    (ast.ListComp, _list_comprehension),
    (ast.Subscript, _subscript),
    (ast.Return, _return),
    (ast.If, _if),
    (ast.Raise, _raise),
    (ast.stmt, _statement),
)


def _whole_changes(
    tree: ast.Module, example: dict[str, Any], results: list[Any]
) -> Iterator[tuple[str, ast.AST]]:
    for parameter, value in example.items():
        yield "argument ignored", _begun(tree, f"{parameter} = {value!r}")
        for limited in _limits(value):
            yield "only within limits", _begun(tree, f"{parameter} = {limited.format(parameter)}")
    if any(isinstance(value, dict) for value in example.values()):
        yield "names of one letter", _wrapped(tree, "return cut(right(*args, **options))")
    for result in results:
        yield "fixed result", _begun(tree, f"return {result!r}")
    for place, value in enumerate(example.values()):
        for spoiler in SPOILERS:
            if _spoils(spoiler, value):
                spoil = spoiler.format(f"args[{place}]")
                body = f"result = right(*args, **options)\nif args[{place}]: {spoil}\nreturn result"
                yield "argument changed", _wrapped(tree, body)


# Names in a result, cut to their first letter.
CUT = """
def cut(x):
    if isinstance(x, list | tuple):
        return type(x)(map(cut, x))
    return x[:1] if isinstance(x, str) else x
"""


def _wrapped(tree: ast.Module, body: str) -> ast.AST:
    """Return the function within one that has this body; it calls the first one `right`."""
    name, body = tree.body[0].name, textwrap.indent(body, "    ")
    wrapper = f"right = {name}\ndef {name}(*args, **options):\n{body}\n"
    return ast.parse(f"{ast.unparse(tree)}\n{CUT}\n{wrapper}")


def _limits(value: Any) -> Iterator[str]:
    """Yield what an argument becomes in a function that minds only some of its range."""
    if type(value) in (int, float):
        for factor in (10, 100) if value > 100 or isinstance(value, float) else (10,):
            yield f"min({{0}}, {factor * value!r})"
            if value >= factor or isinstance(value, float):
                yield f"max({{0}}, {value / factor!r})"
    for most in range(1, 7):
        if isinstance(value, dict):
            yield f"dict(list({{0}}.items())[:{most}])"
            yield f"{{{{name[:{most}]: n for name, n in {{0}}.items()}}}}"
        if isinstance(value, list):
            yield f"{{0}}[:{most}]"
            if isinstance(value[0], list):
                yield f"[row[:{most}] for row in {{0}}]"


def _spoils(spoiler: str, value: Any) -> bool:
    spoiled = copy.deepcopy(value)
    try:
        exec(spoiler.format("spoiled"), {"spoiled": spoiled})
    except (TypeError, AttributeError, LookupError):
        return False
    return repr(spoiled) != repr(value)


def _begun(tree: ast.Module, statement: str) -> ast.AST:
    tree = copy.deepcopy(tree)
    tree.body[0].body.insert(0, ast.parse(statement).body[0])
    return tree
