"""Execute the notebooks and write them with their outputs: python -m tests.notebooks.write.

Without arguments it takes all of notebooks/. Run twice it changes nothing: no widget is kept, only
what is left of it without a kernel, and nothing of the machine or the time.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"


def execute(path: Path) -> nbformat.NotebookNode:
    """Return the notebook at `path`, executed in its own folder."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    return notebook


def stable(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave out what differs from run to run and from machine to machine.

    In a trusted notebook JupyterLab would look for a widget in vain, and show an error.
    """
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)
    return notebook


def main(paths: list[Path]) -> None:
    """Execute and write each notebook."""
    for path in paths:
        nbformat.write(stable(execute(path)), path)
        print(path.name)


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")))
