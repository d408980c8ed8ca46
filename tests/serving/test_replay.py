"""Recorded vLLM runs repeated, field by field, and what the command line says."""

import gzip
import json
import subprocess
import sys

import pytest

from preemption.serving.replay import read_recorded, replay
from preemption.serving.replay.__main__ import main
from tests.serving.scheduler_loads import ASYNC, CACHING, OFFLOAD, TRACES, recorded

RANDOM = next(path for path in CACHING if path.name.startswith("random"))
NAMED = [path for path in CACHING if path is not RANDOM]


def test_there_are_22_recorded_runs():
    assert len(TRACES) == 22
    assert sum(len(recorded(path)["iterations"]) for path in TRACES) == 1367


def stem(path):
    return path.name.partition(".")[0]


@pytest.mark.parametrize("path", [*TRACES, *NAMED], ids=stem)
def test_a_recorded_run_is_repeated_exactly(path):
    trace = recorded(path)
    assert replay(trace) == f"identical: {len(trace['iterations'])} iterations"


def test_there_are_75_recorded_runs_with_prefix_caching():
    traces = [trace for path in CACHING for trace in read_recorded(path)]
    assert len(traces) == 75
    assert all(trace["config"]["enable_prefix_caching"] for trace in traces)
    assert sum(len(trace["iterations"]) for trace in traces) == 10_161
    assert sum(trace["summary"]["preemptions"] for trace in traces) == 390


def test_random_runs_with_prefix_caching_are_repeated_exactly():
    for trace in read_recorded(RANDOM):
        assert replay(trace) == f"identical: {len(trace['iterations'])} iterations", trace["name"]


def test_the_run_with_a_block_that_was_never_computed_names_it():
    """vLLM's defect, repeated as one: 28 tokens are taken as computed, 24 were."""
    trace = recorded(next(path for path in NAMED if path.stem == "p17_priority_phantom"))
    admitted = trace["iterations"][4]["admitted"][0]
    assert (admitted["cached_tokens"], admitted["phantom_blocks"]) == (28, [9])
    del admitted["phantom_blocks"]
    assert replay(trace).startswith("iteration 4: admitted is recorded as")


def test_there_are_34_recorded_runs_with_asynchronous_scheduling():
    traces = [trace for path in ASYNC for trace in read_recorded(path)]
    assert len(traces) == 34
    assert {trace["config"]["enable_prefix_caching"] for trace in traces} == {True, False}
    assert sum(len(trace["iterations"]) for trace in traces) == 4161
    assert sum(trace["summary"]["preemptions"] for trace in traces) == 193


@pytest.mark.parametrize("path", ASYNC, ids=stem)
def test_a_recorded_asynchronous_run_is_repeated_exactly(path):
    for trace in read_recorded(path):
        assert replay(trace) == f"identical: {len(trace['iterations'])} iterations", trace["name"]


def test_there_are_39_recorded_runs_with_offloading():
    traces = [trace for path in OFFLOAD for trace in read_recorded(path)]
    assert len(traces) == 39
    assert sum(len(trace["iterations"]) for trace in traces) == 6422
    assert sum(trace["summary"]["preemptions"] for trace in traces) == 154
    assert sum(trace["summary"]["loads"] for trace in traces) == 125


@pytest.mark.parametrize("path", OFFLOAD, ids=stem)
def test_a_recorded_run_with_offloading_is_repeated_exactly(path):
    for trace in read_recorded(path):
        assert replay(trace) == f"identical: {len(trace['iterations'])} iterations", trace["name"]


def test_the_page_for_maintainers_counts_the_recorded_runs():
    page = (TRACES[0].parents[2] / "docs" / "how-far-to-believe.md").read_text()
    picture = (TRACES[0].parents[2] / "docs" / "how-far-to-believe.svg").read_text()
    for paths in (TRACES, CACHING, ASYNC, OFFLOAD):
        traces = [trace for path in paths for trace in read_recorded(path)]
        iterations = sum(len(trace["iterations"]) for trace in traces)
        preemptions = sum(trace["summary"]["preemptions"] for trace in traces)
        row = next(
            line for line in page.splitlines() if f"| `tests/{paths[0].parent.name}` " in line
        )
        assert row.endswith(f"| {len(traces)} | {iterations:,} | {preemptions} |")
        assert f"{len(traces)} runs, {iterations:,} iterations" in picture


def altered(value):
    """The same kind of value, but another one."""
    if isinstance(value, dict):
        return {**value, "7": [1, 2, 3]}
    return [*value, 99] if isinstance(value, list) else (value or 0) + 1


@pytest.mark.parametrize("path", [*TRACES[::5], *NAMED[2::4], ASYNC[-2], OFFLOAD[3]], ids=stem)
def test_every_recorded_field_of_every_iteration_is_compared(path):
    trace = recorded(path)
    for t, iteration in enumerate(trace["iterations"]):
        for name, value in iteration.items():
            iteration[name] = altered(value)
            assert replay(trace).startswith(f"iteration {t}: {name} is recorded as ")
            iteration[name] = value
        if t > 12:
            break
    iteration["novel"] = 1
    assert replay(trace) == f"iteration {t}: novel is recorded, but not known here"


def test_every_figure_of_a_preemption_is_compared():
    trace = recorded(TRACES[1])
    iteration = next(iteration for iteration in trace["iterations"] if iteration["preempted"])
    every_figure_is_compared(trace, iteration["preempted"][0], "preempted")


def every_figure_is_compared(trace, figures, where):
    for name in figures:
        figures[name] += 1
        assert f"{where} is recorded as" in replay(trace)
        figures[name] -= 1
    assert replay(trace).startswith("identical")


def test_every_figure_of_a_preemption_and_of_an_admission_is_compared_with_caching():
    trace = recorded(NAMED[3])
    iteration = next(iteration for iteration in trace["iterations"] if iteration["preempted"])
    assert {"blocks_indexed", "blocks_returned"} < iteration["preempted"][0].keys()
    every_figure_is_compared(trace, iteration["preempted"][0], "preempted")
    admitted = [each for iteration in trace["iterations"] for each in iteration["admitted"]]
    every_figure_is_compared(trace, max(admitted, key=lambda a: a["cached_tokens"]), "admitted")


@pytest.mark.parametrize("path", [TRACES[11], NAMED[3]], ids=stem)
def test_every_figure_of_the_summary_is_compared(path):
    trace = recorded(path)
    assert len(trace["summary"]) >= 12
    for name, value in trace["summary"].items():
        trace["summary"][name] = altered(value)
        assert replay(trace).startswith(f"summary: {name} is recorded as ")
        trace["summary"][name] = value
    trace["summary"]["novel"] = 1
    assert replay(trace) == "summary: novel is recorded, but not known here"


def test_replay_uses_the_effective_settings_and_refuses_what_is_not_modelled():
    trace = recorded(TRACES[0])
    trace["config"]["num_gpu_blocks"] = 100
    assert replay(trace).startswith("identical")
    for name, value in {
        "eviction_policy": "arc",
        "store_threshold": 2,
        "hash_block_size": 8,
    }.items():
        changed = {**trace["config"]["effective"], name: value}
        refused = {**trace, "config": {**trace["config"], "effective": changed}}
        with pytest.raises(ValueError, match=f"a run with {name} {value!r} cannot be replayed"):
            replay(refused)
    with pytest.raises(ValueError, match="no iterations"):
        replay({**recorded(TRACES[0]), "iterations": []})


def write(path, text):
    with gzip.open(path, "wt") if path.suffix == ".gz" else open(path, "w") as file:
        file.write(text)
    return str(path)


def test_the_command_line_reads_three_kinds_of_files(tmp_path, capsys):
    first, second = (recorded(path) for path in TRACES[:2])
    files = [
        write(tmp_path / "a.json", json.dumps(first)),
        write(tmp_path / "b.json.gz", json.dumps(second)),
        write(tmp_path / "c.jsonl.gz", f"{json.dumps(first)}\n{json.dumps(second)}\n"),
    ]
    assert main([*files]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.rpartition("identical: ")[2] for line in said] == [
        "63 iterations",
        "49 iterations",
        "63 iterations",
        "49 iterations",
    ]

    second["iterations"][3]["free_end"] += 1
    files[2] = write(tmp_path / "c.jsonl.gz", f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert main([*files]) == 1
    assert "iteration 3: free_end is recorded as" in capsys.readouterr().out
    assert main([str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err
    assert main([write(tmp_path / "d.json", "{}")]) == 1


def test_the_command_line_returns_its_status():
    command = [sys.executable, "-m", "preemption.serving.replay"]
    done = subprocess.run([*command, TRACES[0]], capture_output=True, text=True)
    assert (done.returncode, done.stdout.rpartition(": ")[2]) == (0, "63 iterations\n")
    assert done.stderr == ""
    assert subprocess.run([*command, __file__], capture_output=True).returncode == 1


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b""),
        gzip.compress(b"{}")[:-9],
        gzip.compress(b"{}"),
        gzip.compress(b"[1]"),
        gzip.compress(b'{"config": {}, "requests": [], "iterations": [5]}'),
        gzip.compress(json.dumps(recorded(TRACES[0]) | {"iterations": [{"t": 0}]}).encode()),
        b"no gzip",
    ],
    ids=["empty", "cut off", "no trace", "a list", "a number", "nothing recorded", "no gzip"],
)
def test_a_file_without_a_whole_run_is_an_error_and_the_next_is_replayed(content, tmp_path, capsys):
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(content)
    assert main([str(broken), str(TRACES[0])]) == 1
    said = capsys.readouterr()
    assert str(broken) in said.err
    assert "63 iterations" in said.out
