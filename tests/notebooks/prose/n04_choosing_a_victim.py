"""Numbers in the texts of notebook 04."""

from preemption import studies, words
from preemption.lessons.pool import blocks_left
from preemption.serving import Iteration, RunSettings, frames_of, pauses
from tests.notebooks.prose import Computed, Facts

VLLM = "measured: vLLM 0.33.0's own scheduler, recorded in tests/traces"
EIGHT, LONG = studies.SCENES["eight requests"], studies.SCENES["a long wait"]


def log(way: str = "recompute") -> list[Iteration]:
    """Return the log of the eight requests."""
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    return [f.iteration for f in frames_of(EIGHT.requests, EIGHT.config(), settings)]


def preempting(request: int) -> Iteration:
    """Return the iteration in which one of the eight goes."""
    return next(each for each in log() if request in [event.id for event in each.preempted])


def resuming(request: int) -> Iteration:
    """Return the iteration in which one of the eight comes back."""
    return next(
        each
        for each in log()
        for row in each.scheduled
        if (row.id, row.kind) == (request, "resumed")
    )


def pause_ms(what: str, way: str = "recompute", digits: int = 4) -> str:
    """Return a part of the pause of request 4."""
    settings = RunSettings(resume="swap" if way == "swap" else "recompute", log=True)
    found = next(each for each in pauses(log(way), settings) if each.id == 4)
    return f"{words.digits(getattr(found, what), digits)} ms"


def found_at_the_return() -> int:
    """Return how many tokens the victim of the long wait finds."""
    return sum(each.tokens for f in LONG.frames(caching=True) for each in f.iteration.found)


def long_wait() -> Iteration:
    """Return the iteration in which the victim of the long wait goes."""
    return next(f.iteration for f in LONG.frames(caching=True) if f.iteration.preempted)


COMPUTED: Computed = [
    ("into **blocks**, here of 16 tokens", lambda: f"{EIGHT.block_tokens} tokens"),
    ("a small server with 15 blocks", lambda: f"{EIGHT.blocks} blocks"),
    ("one every 10 ms", lambda: f"{EIGHT.requests[1].arrival_ms:g} ms"),
    ("In iteration 13 request 4", lambda: f"iteration {preempting(4).number}"),
    ("go to iteration 42", lambda: f"iteration {preempting(6).number}"),
    ("has 64 cached tokens", lambda: f"{preempting(6).decided.state[3][0]} cached tokens"),
    ("request 6 goes with 50", lambda: f"{preempting(6).preempted[0].computed_tokens}"),
    ("In iteration 39 request 4", lambda: f"iteration {resuming(4).number}"),
    ("prefills 49 tokens", lambda: f"{preempting(4).preempted[0].tokens} tokens"),
    ("its 40 of prompt", lambda: f"{EIGHT.requests[4].prompt_tokens}"),
    (
        "the 9 that it had written",
        lambda: f"{preempting(4).preempted[0].tokens - EIGHT.requests[4].prompt_tokens}",
    ),
    ("waits 255.6 ms for memory", lambda: pause_ms("waited_ms")),
    ("needs 11.2 ms to compute", lambda: pause_ms("recompute_ms", digits=3)),
    ("has 13 blocks and three requests", lambda: f"{LONG.blocks} blocks"),
    ("Request 2 goes in iteration 5.", lambda: f"iteration {long_wait().number}"),
    ("all 5 full blocks are still there", lambda: f"{blocks_left(5)} full blocks"),
    ("After 50 only 1 is left", lambda: f"{blocks_left(50)}"),
    ("of 93 tokens 16", lambda: f"{long_wait().preempted[0].computed_tokens} tokens"),
    ("93 tokens 16 are found", lambda: f"{found_at_the_return()} are"),
    ("a block every 16 tokens", lambda: f"{EIGHT.block_tokens} tokens"),
    ("out and back takes 0.503 ms", lambda: pause_ms("copy_ms", "swap", 3)),
    ("wait for memory is 255.1 ms", lambda: pause_ms("waited_ms", "swap")),
    ("tokens | 16 tokens |", lambda: f"{EIGHT.block_tokens} tokens"),
]

FACTS: Facts = [
    ("*20 minutes.*", "example: reading time"),
    ("(20 minutes)", "example: reading time"),
    ("After 5 iterations", "example"),
    ("the scheduler of vLLM 0.33.0", VLLM),
]
