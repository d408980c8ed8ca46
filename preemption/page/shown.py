"""What a cell shows: closed when the cell is run again, since ipywidgets would keep it for ever."""

from typing import Any

import ipywidgets as widgets
from IPython.core.getipython import get_ipython

_shown: dict[str, tuple[str, list[widgets.Widget]]] = {}  # the run of each cell, what it showed


def now_shown(widget: widgets.Widget) -> None:
    """Note that the present cell shows this; close what its run before showed, and no other cell.

    Without a page that says which cell it runs, nothing happens.
    """
    shell: Any = get_ipython()
    request = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = request.get("metadata", {}).get("cellId")
    if not cell:
        return
    run = request["header"]["msg_id"]
    before, earlier = _shown.get(cell, (run, []))
    if before != run:
        _shown[cell] = (run, [])
        alive = [widget, *(each for _, others in _shown.values() for each in others)]
        for old in earlier:
            if not any(old is each for each in alive):
                _close(old)
                _forget(old, shell)
    _shown.setdefault(cell, (run, []))[1].append(widget)


def _close(widget: widgets.Widget) -> None:
    for name in widget.keys:
        held = getattr(widget, name)
        for part in held if isinstance(held, tuple) else (held,):
            if isinstance(part, widgets.Widget):
                _close(part)
    widget.unobserve_all()
    widget.close()


def _forget(widget: widgets.Widget, shell: Any) -> None:
    """Take it out of the results that IPython keeps: Out, _1 and so on; names of a reader stay."""
    for results in (shell.user_ns, shell.user_ns_hidden, shell.user_ns["Out"]):
        for name, value in list(results.items()):
            if value is widget and str(name).startswith(tuple("_0123456789")):
                del results[name]
