"""Measure a class on a real JupyterHub: python -m tests.benchmarks.hub [LEARNERS] [--lean].

Starts a hub with its proxy, a server for each learner at once, runs notebook 01 in each, and lets
1, 5, 10 and all of them drag at the same time, through the proxy and the websocket that a page
uses. Prints tables in Markdown and asserts nothing. Installs nothing: it says what is missing. The
load comes from the same machine, so a hub alone is a little faster.
"""

import argparse
import asyncio
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import nbformat
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from tests.notebooks.write import NOTEBOOKS

TICK_S, DRAG_S = 0.05, 6.0  # a drag gives about 20 moves a second
NEEDED = {"jupyterhub": "pip install jupyterhub", "psutil": "pip install psutil"}
PROXY = "configurable-http-proxy"
DRAGGED = "explorer"  # the cell with the explorer whose first slider is dragged
KINDS = ("hub", "proxy", "server", "kernel")
# What `--lean` sets: glibc gives memory back to the system once a picture is drawn.
LEAN = {"MALLOC_MMAP_THRESHOLD_": "131072"}
CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_path = "{folder}/home/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = {args}
c.Spawner.environment = {environment}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.JupyterHub.services = [dict(name="load", api_token={token!r})]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [dict(name="load", services=["load"], scopes=scopes)]
"""


def missing() -> list[str]:
    """Say what to install, for each thing that is missing."""
    found = {name: importlib.util.find_spec(name) for name in NEEDED}
    said = [f"{name}: {NEEDED[name]}" for name in NEEDED if found[name] is None]
    return said if shutil.which(PROXY) else [*said, f"{PROXY}: npm install -g {PROXY}"]


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens to."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Hub:
    """A JupyterHub in a folder of its own, and the token that may do everything there."""

    def __init__(self, folder: str, lean: bool) -> None:
        self.token = uuid.uuid4().hex
        port, hub_port, proxy_port = free_ports(3)
        self.url = f"http://127.0.0.1:{port}"
        config = CONFIG.format(
            port=port,
            hub_port=hub_port,
            proxy_port=proxy_port,
            proxy=shutil.which(PROXY),
            python=sys.executable,
            folder=folder,
            token=self.token,
            args=["--allow-root"] if os.geteuid() == 0 else [],
            environment=LEAN if lean else {},
        )
        (Path(folder) / "home").mkdir()
        (Path(folder) / "config.py").write_text(config)
        with (Path(folder) / "log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", "config.py"],
                cwd=folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    async def ask(self, path: str, method: str = "GET", body: str | None = None) -> dict:
        """Return what the hub, or a server behind it, answers."""
        headers = {"Authorization": f"token {self.token}"}
        body = "" if method == "POST" and body is None else body
        request = HTTPRequest(
            self.url + path, method, headers, body, request_timeout=300, connect_timeout=300
        )
        answer = await AsyncHTTPClient().fetch(request)
        return json.loads(answer.body or b"{}")

    async def wait(self) -> None:
        """Wait until it answers."""
        for _ in range(600):
            with contextlib.suppress(OSError, Exception):
                await self.ask("/hub/api/")
                return
            await asyncio.sleep(0.1)
        raise TimeoutError("the hub does not answer")

    def stop(self) -> None:
        """End it and all that it has started."""
        import psutil

        for each in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        self.process.kill()
        self.process.wait()

    def processes(self) -> list[tuple[str, Any]]:
        """Return the kind of each process of it, and the process."""
        import psutil

        own, found = psutil.Process(self.process.pid), []
        for each in (own, *own.children(recursive=True)):
            command = " ".join(each.cmdline())
            kind = "server" if "singleuser" in command else "hub"
            kind = "proxy" if PROXY in command else kind
            found.append(("kernel" if "ipykernel" in command else kind, each))
        return found

    def memory_mb(self) -> dict[str, float]:
        """Memory by kind of process: its own, and what all share with others, counted once."""
        found = dict.fromkeys((*KINDS, "shared"), 0.0)
        for kind, each in self.processes():
            memory = each.memory_full_info()
            found[kind] += memory.uss / 1e6
            found["shared"] += (memory.pss - memory.uss) / 1e6
        return found

    def processor_ms(self) -> dict[str, float]:
        """Processor time by kind of process since their start."""
        found = dict.fromkeys(KINDS, 0.0)
        for kind, each in self.processes():
            times = each.cpu_times()
            found[kind] += 1000 * (times.user + times.system)
        return found


class Learner:
    """Somebody with a server, a kernel in it, and a page's connection to that kernel."""

    def __init__(self, hub: Hub, number: int) -> None:
        self.hub, self.name = hub, f"learner{number}"
        self.home = f"/user/{self.name}"
        self.cell = self.slider = ""
        self.most = 1
        self.pictures = 0

    async def start(self) -> float:
        """Return the seconds until their server is ready."""
        begin = time.monotonic()
        user = f"/hub/api/users/{self.name}"
        await self.hub.ask(user, "POST")
        await self.hub.ask(f"{user}/server", "POST")
        while not (await self.hub.ask(user))["servers"].get("", {}).get("ready"):
            await asyncio.sleep(0.2)
        return time.monotonic() - begin

    async def run(self) -> float:
        """Return the seconds for a kernel to start and to run notebook 01."""
        begin = time.monotonic()
        kernel = await self.hub.ask(f"{self.home}/api/kernels", "POST", '{"name": "python3"}')
        url = f"{self.hub.url.replace('http', 'ws')}{self.home}/api/kernels/{kernel['id']}/channels"
        headers = {"Authorization": f"token {self.hub.token}"}
        self.socket = await websocket_connect(HTTPRequest(url, headers=headers))
        notebook = nbformat.read(NOTEBOOKS / "01_preemption.ipynb", as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                self.cell = cell.id
                await self.send("execute_request", {"code": cell.source, "stop_on_error": True})
        return time.monotonic() - begin

    async def drag(self) -> list[float]:
        """Return the milliseconds of each move, from a page that waits for one before the next."""
        waits, begin, place = [], time.monotonic(), 0
        while time.monotonic() < begin + DRAG_S:
            place = place % self.most + 1
            sent = time.monotonic()
            data = {"method": "update", "state": {"value": place}, "buffer_paths": []}
            await self.send("comm_msg", {"comm_id": self.slider, "data": data})
            waits.append(1000 * (time.monotonic() - sent))
            passed = (time.monotonic() - begin) % TICK_S
            await asyncio.sleep(TICK_S - passed)
        return waits

    async def send(self, kind: str, content: dict) -> None:
        """Send a message to the kernel and wait until it has done all that follows."""
        own = uuid.uuid4().hex
        header = {"msg_id": own, "msg_type": kind, "username": "", "session": self.name}
        header |= {"version": "5.3", "date": "2020-01-01T00:00:00Z"}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}}
        await self.socket.write_message(json.dumps(message | {"content": content, "buffers": []}))
        while True:
            line = await self.socket.read_message()
            if not isinstance(line, str):
                continue  # with buffers, which no message that counts here has
            came = json.loads(line)
            self._see(came)
            state = came["content"].get("execution_state")
            if came["parent_header"].get("msg_id") == own and state == "idle":
                return

    def _see(self, came: dict) -> None:
        if came["msg_type"] == "error":
            raise RuntimeError(came["content"]["evalue"])
        data = came["content"].get("data", {})
        if came["msg_type"] == "comm_open" and self.cell == DRAGGED:
            state = data.get("state", {})
            if state.get("_model_name") == "IntSliderModel" and not self.slider:
                self.slider, self.most = came["content"]["comm_id"], state["max"]
        self.pictures += came["msg_type"] == "comm_msg" and "<svg" in json.dumps(data)


async def measure(learners: int, folder: str, lean: bool) -> None:
    """Run the class and print what was measured."""
    AsyncHTTPClient.configure(None, max_clients=4 * learners)
    hub = Hub(folder, lean)
    try:
        await hub.wait()
        people = [Learner(hub, number) for number in range(learners)]
        started = await asyncio.gather(*(each.start() for each in people))
        ran = await asyncio.gather(*(each.run() for each in people))
        memory = hub.memory_mb()
        print(
            f"{learners} learners, JupyterHub {importlib.metadata.version('jupyterhub')}, "
            f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}.\n"
        )
        print("| memory | MB |\n|---|--:|")
        for kind in ("server", "kernel", "shared"):
            print(f"| {kind}, for each learner | {memory[kind] / learners:.0f} |")
        print(f"| hub and proxy | {memory['hub'] + memory['proxy']:.0f} |")
        each_mb = sum(memory[kind] for kind in ("server", "kernel", "shared")) / learners
        print(f"| all, for each learner | {each_mb:.0f} |\n")
        print("| seconds, all at once | median | longest |\n|---|--:|--:|")
        print(f"| a server | {statistics.median(started):.1f} | {max(started):.1f} |")
        print(f"| a kernel, notebook 01 run | {statistics.median(ran):.1f} | {max(ran):.1f} |\n")
        print("| who drag at once | moves a second, each | median, ms | p95, ms |", end="")
        print(" processor time of a move: kernel, ms | server, ms | proxy, ms |")
        print("|--:" * 7 + "|")
        for count in sorted({min(count, learners) for count in (1, 5, 10, learners)}):
            pictures, spent = sum(each.pictures for each in people), hub.processor_ms()
            drags = await asyncio.gather(*(each.drag() for each in people[:count]))
            waits = sorted(wait for drag in drags for wait in drag)
            cells = [f"{count}", f"{len(waits) / count / DRAG_S:.1f}"]
            cells += [f"{statistics.median(waits):.0f}", f"{waits[int(0.95 * len(waits))]:.0f}"]
            after = hub.processor_ms()
            for kind in ("kernel", "server", "proxy"):
                cells.append(f"{(after[kind] - spent[kind]) / len(waits):.1f}")
            print(f"| {' | '.join(cells)} |")
            if sum(each.pictures for each in people) - pictures < len(waits):
                print("Not every move gave a picture.")
    finally:
        hub.stop()


def main() -> None:
    """Look for what is needed, then measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.hub")
    parser.add_argument("learners", nargs="?", type=int, default=8)
    parser.add_argument("--lean", action="store_true", help="with the teachers' page's setting")
    options = parser.parse_args()
    learners = options.learners
    if learners < 1:
        parser.error(f"learners must be at least 1, not {learners}")
    if lacking := missing():
        parser.error("\n  ".join(["missing", *lacking]))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(learners, folder, options.lean))


if __name__ == "__main__":
    main()
