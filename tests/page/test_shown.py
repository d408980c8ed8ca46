"""Memory of cells that are run again: in a real kernel, as JupyterLab asks for it."""

from jupyter_client.manager import start_new_kernel

RUNS, MOST_MB, MOST_KEPT = 8, 2.0, 4  # IPython keeps the last three results by name
SHOW = "import gc, psutil\nfrom preemption import CostExplorer\nexplorer = CostExplorer()\nexplorer"
OTHER = "explorer"
STATE = """
from ipywidgets.widgets import widget
gc.collect()
kept = sum(isinstance(each, CostExplorer) for each in gc.get_objects())
print(psutil.Process().memory_info().rss / 1e6, len(widget._instances), kept, explorer.comm is None)
"""


class Kernel:
    """Runs code as a cell of a page."""

    def __init__(self):
        self.manager, self.client = start_new_kernel()

    def run(self, cell, code):
        content = {"code": code, "silent": False, "store_history": True}
        content |= {"user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell})
        self.client.shell_channel.send(message)
        printed = ""
        while True:
            got = self.client.get_iopub_msg(timeout=120)
            if got["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            assert got["msg_type"] != "error", got["content"]
            printed += got["content"].get("text", "")
            if got["content"].get("execution_state") == "idle":
                return printed

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def test_a_cell_that_is_run_again_leaves_nothing_behind():
    kernel = Kernel()
    try:
        states = []
        for _ in range(RUNS):
            kernel.run("a", SHOW)
            mb, widgets, kept, closed = kernel.run("state", STATE).split()
            states.append((float(mb), int(widgets)))
            assert int(kept) <= MOST_KEPT
            assert closed == "False"
        assert len({widgets for _, widgets in states}) == 1
        grown = (states[-1][0] - states[3][0]) / (RUNS - 4)
        assert grown < MOST_MB, states
        # What another cell shows as well stays.
        kernel.run("b", OTHER)
        kernel.run("a", "before = explorer\n" + SHOW)
        assert "False" in kernel.run("state", "print(before.comm is None)")
        kernel.run("b", OTHER)
        assert "True" in kernel.run("state", "print(before.comm is None)")
    finally:
        kernel.stop()
