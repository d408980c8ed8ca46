"""Small loads in small pools, to be looked at block by block; most repeat a recorded vLLM run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from preemption.checks import choice
from preemption.serving import Frame, Request, RunSettings, SchedulerConfig, eight, frames_of
from preemption.serving.replay import read_recorded, replay

MOST_RUNNING = 8


@dataclass(frozen=True)
class Scene:
    """Requests, the blocks of their pool, and the token budget of an iteration.

    `recorded` names the run of vLLM that it repeats, without prefix caching (False) or with it.
    """

    requests: tuple[Request, ...]
    blocks: int
    budget: int = 64
    block_tokens: int = 16
    recorded: Mapping[bool, str] = field(default_factory=dict)

    def config(self, *, caching: bool = False, host_blocks: int = 0) -> SchedulerConfig:
        """Return the scheduler's settings."""
        return SchedulerConfig(
            self.block_tokens,
            self.blocks + 1,
            self.budget,
            MOST_RUNNING,
            enable_prefix_caching=caching,
            host_blocks=host_blocks,
        )

    def frames(self, *, caching: bool = False) -> tuple[Frame, ...]:
        """Serve the requests by vLLM's rules."""
        return frames_of(self.requests, self.config(caching=caching), RunSettings(log=True))


# Recorded arrivals count in iterations; here an iteration takes about 10 ms.
SCENES = {
    "eight requests": Scene(
        tuple(eight()), 15, recorded={False: "s13_eight_thrash", True: "p15_eight_thrash"}
    ),
    "a long wait": Scene(
        (Request(0, 0.0, 30, 60), Request(1, 0.0, 30, 60), Request(2, 10.0, 120, 10)),
        13,
        budget=32,
        recorded={True: "p07_chunk_mid_prefill_victim"},
    ),
}
RECORDED = {
    "no prefix caching, one iteration at a time": "s13_eight_thrash",
    "prefix caching": "p15_eight_thrash",
    "prefix caching and asynchronous scheduling": "a04_eight_thrash",
}
"""Runs of the eight requests recorded from vLLM 0.33.0, by what was on: last, its defaults."""
_FOLDER = Path(__file__).parent / "data" / "recorded"


def replay_recorded(what: str) -> str:
    """Repeat one of the recorded runs and compare every recorded field of every iteration.

    `what` is a name in RECORDED; ValueError for another. Returns "identical: N iterations" or the
    first difference. Source: vLLM 0.33.0's scheduler, commit 4ba787ec9.
    """
    choice("what", what, RECORDED)
    (trace,) = read_recorded(_FOLDER / f"{RECORDED[what]}.json.gz")
    return replay(trace)


# Three that fill a pool in a few iterations; no recorded run.
OVERFLOW = Scene(
    (Request("A", 0.0, 7, 16), Request("B", 0.0, 9, 12), Request("C", 0.0, 5, 14)),
    12,
    block_tokens=4,
)
