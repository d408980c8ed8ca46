"""The scheduler against recorded vLLM runs, against the rules it states, and on bad input."""

import gzip
import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preemption import serving
from preemption.serving import (
    IterationCost,
    Request,
    Run,
    Scheduler,
    SchedulerConfig,
    simulate_plain,
)
from preemption.serving.replay import replay
from preemption.serving.replay.__main__ import main
from tests.serving.scheduler_audit import Audit
from tests.serving.scheduler_loads import TRACES, random_load, recorded

SMALL = SchedulerConfig(16, 16, 64, 8)
seeds = st.integers(0, 2**32)


# ------------------------------------------------------------------ recorded runs


def test_there_are_22_recorded_runs():
    assert len(TRACES) == 22
    assert sum(len(recorded(path)["iterations"]) for path in TRACES) == 1367


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_recorded_run_is_repeated_exactly(path):
    trace = recorded(path)
    assert replay(trace) == f"identical: {len(trace['iterations'])} iterations"


def altered(value):
    """The same kind of value, but another one."""
    if isinstance(value, dict):
        return {**value, "7": [1, 2, 3]}
    return [*value, 99] if isinstance(value, list) else value + 1


@pytest.mark.parametrize("path", TRACES[::5], ids=lambda path: path.stem)
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
    for name in ("id", "num_computed_lost", "num_tokens", "blocks_freed", "needed_by"):
        iteration["preempted"][0][name] += 1
        assert "preempted is recorded as" in replay(trace)
        iteration["preempted"][0][name] -= 1
    assert replay(trace).startswith("identical")


def test_replay_uses_the_effective_settings_and_refuses_what_is_not_modelled():
    trace = recorded(TRACES[0])
    trace["config"]["num_gpu_blocks"] = 100
    assert replay(trace).startswith("identical")
    trace["config"]["effective"]["enable_prefix_caching"] = True
    with pytest.raises(ValueError, match="a run with enable_prefix_caching cannot be replayed"):
        replay(trace)
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


# ------------------------------------------------------------------ the rules, one by one


@pytest.mark.parametrize("threshold", [0, 3])
@settings(max_examples=150, deadline=None)
@given(seeds)
def test_every_decision_keeps_to_the_rules(threshold, seed):
    requests, config, how = random_load(seed, max_model_len=None)
    config = replace(config, long_prefill_token_threshold=threshold)
    result = simulate_plain(requests, config, **how, log=True)
    audit = Audit(requests, config, how)
    for log in result.log:
        audit.check(log)

    useful = sum(request.prompt + request.output - 1 for request in requests)
    events = [event for log in result.log for event in log.preempted]
    lost = sum(event.computed for event in events if event.how == "recompute")
    assert (result.recomputed_tokens, result.preemptions) == (lost, len(events))
    if result.outcome == "finished":
        assert result.unfinished == ()
        assert result.scheduled_tokens - useful == lost
        assert result.generated_tokens == sum(request.output for request in requests)
        assert result.moved_bytes == 131_072 * 2 * sum(
            event.computed for event in events if event.how == "swap"
        )
    else:
        assert (result.outcome, threshold) == ("endless", 3)


# ------------------------------------------------------------------ what follows from the rules


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_the_oldest_is_never_evicted_under_last_admitted(seed):
    requests, config, how = random_load(seed, policy="fcfs")
    result = simulate_plain(requests, config, **{**how, "victim": "last admitted"}, log=True)
    assert result.outcome == "finished"
    for log in result.log:
        alive = [*log.decided.running, *log.decided.waiting]
        assert min(alive, default=None) not in [event.id for event in log.preempted]


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_with_enough_memory_all_rules_and_ways_to_resume_give_the_same_run(seed):
    requests, config, how = random_load(seed)
    size = sum(request.prompt + request.output for request in requests)
    config = replace(config, num_gpu_blocks=size + len(requests) + 1, watermark=0.0)
    plain = simulate_plain(requests, config, cost=how["cost"], log=True)
    assert plain.preemptions == plain.recomputed_tokens == plain.moved_bytes == 0
    assert simulate_plain(requests, config, **how, log=True) == plain


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_over_an_infinitely_fast_link_no_token_is_computed_twice(seed):
    requests, config, how = random_load(seed)
    how |= {"resume": "swap", "link_gb_per_s": math.inf, "swap_blocks": None}
    result = simulate_plain(requests, config, **how)
    assert (result.outcome, result.recomputed_tokens) == ("finished", 0)
    useful = sum(request.prompt + request.output - 1 for request in requests)
    assert result.scheduled_tokens == useful


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_times_add_up(seed):
    requests, config, how = random_load(seed)
    result = simulate_plain(requests, config, **how, log=True)
    assert [log.number for log in result.log] == list(range(result.iterations))
    cost, end = how["cost"], 0
    link = how["link_gb_per_s"]
    for log in result.log:
        assert log.start_ns >= end
        end = log.start_ns + log.duration_ns
        tokens = sum(row.tokens for row in log.scheduled)
        assert log.prefill_tokens + log.decode_tokens == tokens
        copies = [event.computed for event in log.preempted if event.how == "swap"]
        copies = [] if how["copy_out_in_background"] else copies
        copies += [row.computed for row in log.scheduled if row.kind == "resumed"]
        assert log.duration_ns == cost.ns(tokens, sum(row.computed for row in log.scheduled)) + sum(
            round(computed * 131_072 / link) for computed in copies
        )
    assert result.total_ns == end - requests[0].arrival_ns

    # What the time line and the times per request say is what the log says.
    ends = {log.number: (log.start_ns + log.duration_ns) / 1e6 for log in result.log}
    tokens = {request.id: [] for request in requests}
    for log in result.log:
        for name in log.sampled:
            tokens[name].append(ends[log.number])
    for request in requests:
        first, *_, last = [*tokens[request.id], tokens[request.id][-1]]
        assert result.ttft_ms[request.id] == pytest.approx(first - request.arrival, abs=1e-5)
        if request.output > 1:
            between = (last - first) / (request.output - 1)
            assert result.tpot_ms[request.id] == pytest.approx(between, abs=1e-5)
    left = [
        *((event.id, log.start_ms, event.how) for log in result.log for event in log.preempted),
        *((name, ends[log.number], "finished") for log in result.log for name in log.finished),
    ]
    admitted = [
        (row.id, log.start_ms)
        for log in result.log
        for row in log.scheduled
        if row.kind != "running"
    ]
    line = result.time_line
    assert [(stay.id, stay.admitted_ms) for stay in line] == admitted
    assert sorted((stay.id, stay.left_ms, stay.end) for stay in line) == sorted(left)


# ------------------------------------------------------------------ small examples, by hand


def test_two_requests_collide():
    config = SchedulerConfig(16, 8, 64, 8)
    result = simulate_plain(serving.two(), config, log=True)
    assert (result.preemptions, result.recomputed_tokens) == (1, 48)
    assert result.iterations == 63
    log = next(log for log in result.log if log.preempted)
    assert log.preempted[0] == (1, 48, 49, 3, 1, "recompute")
    assert log.words == (
        "Iteration 17, at 167.3 ms, takes 9.7 ms. Request 1 finds no block and is preempted: "
        "3 blocks freed, 48 cached tokens dropped. Request 0 decodes. At its end: 3 free blocks. "
        "Request 1 waits."
    )
    assert (log.blocks, log.decided.waiting, log.decode_tokens) == ({0: 4}, (1,), 1)
    first = result.log[0]
    assert (first.prefill_tokens, first.duration_ns) == (64, 7_730_000 + 64 * 66_100)
    assert first.words.endswith(
        "ms. Requests 0, 1 arrive. Request 0 is admitted. Request 0 prefills 32 tokens. Request 1 "
        "is admitted. Request 1 prefills 32 tokens. At its end: 3 free blocks. Nobody waits."
    )


def test_the_figures_of_a_run():
    # Iterations of 9.7 ms plus 84 ns for each of 0, 10 and 11 resident tokens.
    result = simulate_plain([Request("a", 100, 10, 3), Request("b", 1000, 10, 1)], SMALL)
    assert result.total_ms == 900 + 9.7
    assert result.iterations == 4
    assert result.ttft_ms == {"a": 9.7, "b": 9.7}
    assert result.tpot_ms == {"a": 9.7 + 21 / 2 * 84e-6}
    assert result.tokens_per_s == 4 / 0.9097
    assert result.recompute_share == 0
    assert [(stay.id, stay.left_ms, stay.end) for stay in result.time_line] == [
        ("a", 100 + 29.1 + 21 * 84e-6, "finished"),
        ("b", 1009.7, "finished"),
    ]
    nothing = simulate_plain([], SMALL)
    assert (nothing.outcome, nothing.total_ms, nothing.tokens_per_s) == ("finished", 0, 0)
    assert nothing.recompute_share == 0


def test_swap_moves_the_cache_and_waits_for_the_link():
    config = SchedulerConfig(16, 8, 64, 8)
    plain = simulate_plain(serving.two(), config)
    swap = simulate_plain(serving.two(), config, resume="swap", log=True)
    assert (swap.preemptions, swap.recomputed_tokens) == (1, 0)
    assert swap.moved_bytes == 2 * 48 * 131_072
    out = next(log for log in swap.log if log.preempted)
    assert "48 cached tokens copied out" in out.words
    assert out.duration_ns == 9_700_000 + 84 * 48 + round(48 * 131_072 / 25)
    back = next(
        log for log in swap.log if log.start_ns > out.start_ns and log.decided.waiting == ()
    )
    assert back.scheduled[-1] == (1, 1, 48, "resumed", False)
    assert "Request 1 resumes with 48 tokens copied back." in back.words
    assert back.duration_ns == 9_700_000 + 84 * 48 + round(48 * 131_072 / 25)
    quiet = simulate_plain(serving.two(), config, resume="swap", copy_out_in_background=True)
    assert swap.total_ns - quiet.total_ns == round(48 * 131_072 / 25)
    none = simulate_plain(serving.two(), config, resume="swap", swap_blocks=2)
    assert none == plain
    assert simulate_plain(serving.two(), config, resume="swap", swap_blocks=3) == replace(
        swap, log=()
    )


def test_cheaper_turns_where_the_copies_cost_what_the_prefill_does():
    # 2 x 131,072 B per 66,100 ns of prefill is 3.9658 GB/s; one way half of it.
    config = SchedulerConfig(16, 8, 64, 8)

    def moved(link, **how):
        return simulate_plain(
            serving.two(), config, resume="cheaper", link_gb_per_s=link, **how
        ).moved_bytes

    assert moved(3.965) == 0
    assert moved(3.967) == 2 * 48 * 131_072
    assert moved(1.982, copy_out_in_background=True) == 0
    assert moved(1.984, copy_out_in_background=True) == 2 * 48 * 131_072


def test_a_rule_of_ones_own_sees_the_batch():
    seen = []

    def rule(running):
        seen.append([(c.request.id, c.order, c.generated, c.cached, c.blocks) for c in running])
        return running[0]

    result = simulate_plain(serving.two(), SchedulerConfig(16, 8, 64, 8), victim=rule)
    assert seen[0] == [(0, 0, 17, 48, 3), (1, 1, 17, 48, 3)]
    assert result.preemptions == len(seen)


def test_the_log_of_a_window_is_a_part_of_the_whole_log():
    whole = simulate_plain(serving.eight(), SMALL, log=True)
    part = simulate_plain(serving.eight(), SMALL, log=range(10, 25))
    assert part.log == whole.log[10:25]
    assert len(part.log) == 15
    assert replace(part, log=()) == replace(whole, log=()) == simulate_plain(serving.eight(), SMALL)


def test_a_run_can_be_stepped():
    run = Run(Scheduler(SMALL), serving.eight(), log=True)
    assert run.step()
    assert run.result().iterations == len(run.log) == 1
    assert (run.result().outcome, len(run.result().unfinished)) == ("running", 8)
    while run.step():
        pass
    assert run.result() == simulate_plain(serving.eight(), SMALL, log=True)
    assert not run.step()


# ------------------------------------------------------------------ runs that do not end well


def test_a_request_that_never_fits_stalls_an_unguarded_scheduler():
    """`simulate` refuses it; the scheduler alone stalls, and the run says so."""
    requests = [Request("big", 0, 40, 60), Request("late", 1e6, 1, 1)]
    run = Run(Scheduler(SchedulerConfig(16, 5, 64, 8)), requests)
    while run.step():
        pass
    result = run.result()
    assert (result.outcome, result.unfinished) == ("stalled", ("big", "late"))
    assert result.iterations == 26
    assert result.total_ms < 1000
    assert [stay.end for stay in result.time_line] == ["recompute"]


def test_a_request_that_never_fits_goes_in_circles_if_admitted_by_its_first_chunk():
    config = SchedulerConfig(16, 5, 24, 8, scheduler_reserve_full_isl=False)
    run = Run(Scheduler(config), [Request("big", 0, 40, 60)])
    while run.step():
        pass
    assert run.result().outcome == "endless"
    assert run.result().iterations < 40


def test_two_prefills_that_evict_each_other_for_ever_are_noticed():
    # Each fits alone. The larger cache goes, so each is evicted when it gets ahead.
    config = SchedulerConfig(
        1, 11, 2, 2, long_prefill_token_threshold=1, scheduler_reserve_full_isl=False
    )
    requests = [Request("a", 0, 10, 1), Request("b", 0, 10, 1)]
    result = simulate_plain(requests, config, victim="largest cache")
    assert (result.outcome, result.unfinished) == ("endless", ("a", "b"))
    late = [*requests, Request("c", 1e12, 1, 1)]
    later = simulate_plain(late, config, victim="largest cache")
    assert later.outcome == "endless"
    assert later.total_ms > 1e12
    assert later.iterations < 3 * result.iterations
    often = [*requests, *(Request(i, 100 + i, 1, 1) for i in range(200))]
    times = [
        log.start_ns for log in simulate_plain(often, config, victim="largest cache", log=True).log
    ]
    assert times == sorted(times)
    assert simulate_plain(requests, config).outcome == "finished"


def test_a_request_ends_at_max_model_len():
    """`simulate` refuses it; vLLM lets it run until its tokens are that many."""
    run = Run(Scheduler(replace(SMALL, max_model_len=20)), [Request("long", 0, 15, 90)])
    while run.step():
        pass
    assert (run.result().outcome, run.result().generated_tokens) == ("finished", 5)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("block_size", 0, ValueError, "block_size must be 1 or more, not 0"),
        ("num_gpu_blocks", 1, ValueError, "num_gpu_blocks must be 2 or more, not 1"),
        ("max_num_batched_tokens", 0, ValueError, "max_num_batched_tokens must be 1 or more"),
        ("max_num_batched_tokens", 7, ValueError, r"\(7\) must not be less than max_num_seqs \(8"),
        ("max_num_seqs", -1, ValueError, "max_num_seqs must be 1 or more, not -1"),
        ("max_model_len", 1, ValueError, "max_model_len must be 2 or more, not 1"),
        ("max_model_len", 4.5, TypeError, "max_model_len must be a whole number, not 4.5"),
        ("policy", "sjf", ValueError, 'policy must be "fcfs" or "priority", not \'sjf\''),
        ("enable_chunked_prefill", 1, TypeError, "enable_chunked_prefill must be True or False"),
        ("scheduler_reserve_full_isl", None, TypeError, "must be True or False, not None"),
        ("long_prefill_token_threshold", -1, ValueError, "threshold must be 0 or more, not -1"),
        ("watermark", 1.0, ValueError, "watermark must be below 1, not 1.0"),
        ("watermark", -0.1, ValueError, "watermark must be finite and 0 or more, not -0.1"),
    ],
)
def test_a_bad_setting_is_refused(name, value, error, message):
    with pytest.raises(error, match=message):
        replace(SMALL, **{name: value})


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match=r"without chunked prefill .* \(64\) must not be less"):
        replace(SMALL, enable_chunked_prefill=False, max_model_len=65)
    with pytest.raises(ValueError, match=r"threshold \(100\) must not be more than max_model_len"):
        replace(SMALL, long_prefill_token_threshold=100, max_model_len=99)


@pytest.mark.parametrize(
    ("requests", "settings", "message"),
    [
        ([(1, 0, 200, 42)], {}, r"request 1 can never fit: .* 242 tokens, and the pool allows 241"),
        ([(1, 0, 2, 1), (2, 0, 30, 3)], {"max_model_len": 32}, "request 2 .* max_model_len allows"),
        (
            [(1, 0, 60, 6)],
            {"enable_chunked_prefill": False},
            "request 1 .* 66 tokens, and max_num_batched_tokens, unchunked, allows 65",
        ),
        ([(1, 0, 1, 1), (1, 0, 1, 1)], {}, "id 1 comes twice"),
        ([("a", 5, 1, 1), ("b", 4, 1, 1)], {}, "request 'b' arrives at 4.0 ms, after 'a' at 5.0"),
    ],
)
def test_requests_that_cannot_be_served_are_refused(requests, settings, message):
    with pytest.raises(ValueError, match=message):
        simulate_plain([Request(*values) for values in requests], replace(SMALL, **settings))


def test_a_request_that_just_fits_is_served():
    assert simulate_plain([Request(1, 0, 200, 41)], SMALL).outcome == "finished"
    unchunked = replace(SMALL, enable_chunked_prefill=False)
    assert simulate_plain([Request(1, 0, 60, 5)], unchunked).outcome == "finished"
    short = replace(SMALL, max_model_len=32)
    assert simulate_plain([Request(1, 0, 30, 2)], short).outcome == "finished"


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"victim": "oldest"}, ValueError, "victim must be one of 'last admitted'"),
        ({"victim": 1}, TypeError, "victim must be a rule's name or a function"),
        ({"resume": "offload"}, ValueError, 'resume must be "recompute", "swap" or "cheaper"'),
        ({"link_gb_per_s": 0}, ValueError, "link_gb_per_s must be finite and above 0, not 0"),
        ({"link_gb_per_s": math.nan}, ValueError, "link_gb_per_s must be finite and above 0"),
        ({"link_gb_per_s": "fast"}, TypeError, "link_gb_per_s must be a number, not 'fast'"),
        ({"swap_blocks": -1}, ValueError, "swap_blocks must be 0 or more, not -1"),
        ({"copy_out_in_background": 1}, TypeError, "copy_out_in_background must be True or False"),
        ({"cost": 9.7}, TypeError, r"cost must be an IterationCost, not 9\.7"),
        ({"log": range(0, 10, 2)}, ValueError, "log must be True, False or a range"),
        ({"log": 5}, ValueError, "log must be True, False or a range of iterations, not 5"),
    ],
)
def test_a_bad_argument_is_refused(how, error, message):
    with pytest.raises(error, match=message):
        simulate_plain(serving.two(), SMALL, **how)


@pytest.mark.parametrize("serve", [simulate_plain, serving.simulate])
def test_requests_may_come_from_an_iterator_and_must_be_requests(serve):
    assert serve(iter(serving.two()), SMALL) == serve(serving.two(), SMALL)
    with pytest.raises(ValueError, match="comes twice"):
        serve(iter([*serving.two(), *serving.two()]), SMALL)
    for wrong in ([1], "ab", [None], [(0, 0, 32, 5)]):
        with pytest.raises(TypeError, match="requests must hold Requests, not"):
            serve(wrong, SMALL)
    for wrong in (None, {}, "config"):
        with pytest.raises(TypeError, match="config must be a SchedulerConfig, not"):
            serve(serving.two(), wrong)


def test_a_bad_cost_is_refused():
    with pytest.raises(ValueError, match="floor_ms must be finite and above 0, not 0"):
        IterationCost(floor_ms=0)
    with pytest.raises(ValueError, match="per_token_ms must be finite and 0 or more, not -1"):
        IterationCost(per_token_ms=-1)
    assert IterationCost().whole_ns == (9_700_000, 7_730_000, 66_100, 84)
    assert IterationCost().ns(1, 0) == 9_700_000
    assert IterationCost().ns(1024, 1000) == 7_730_000 + 1024 * 66_100 + 84_000


def test_a_rule_that_returns_nobody_is_refused():
    with pytest.raises(ValueError, match="must return one of the running requests, not None"):
        simulate_plain(serving.two(), SchedulerConfig(16, 8, 64, 8), victim=lambda _: None)
