"""Rules that pick a victim: which running request gives its KV cache away.

A rule is a function. It is given the running requests in the order of their admission, as a
tuple of `Candidate`s, and returns one of them. What it sees does not change within an iteration,
so a rule cannot depend on which request asks for memory. A run takes one of these by its name, or
a rule of your own:

    simulate(requests, config, RunSettings(victim="fewest generated"))
    simulate(requests, config, RunSettings(victim=lambda running: running[0]))
"""

import random
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from preemption.checks import choice, shown, whole
from preemption.serving.workload import Request


class Candidate(NamedTuple):
    """A running request as a rule sees it: its state just before the iteration."""

    request: Request
    order: int
    """Its place in the order of arrival: the first to arrive has 0."""
    generated_tokens: int
    """Output tokens generated so far. They are never lost."""
    cached_tokens: int
    """Tokens whose KV cache exists: what an eviction loses or has to move."""
    blocks: int
    """Blocks that hold the cached tokens: what an eviction frees, or one more if the request was
    given a block in this very iteration."""


POLICIES = ("fcfs", "priority")

Rule: TypeAlias = Callable[[tuple[Candidate, ...]], Candidate]


def last_admitted(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the request that was admitted last. There are no ties.

    vLLM under FCFS (0.33.0: the tail of the running list).
    """
    return running[-1]


def priority(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the least urgent: the largest priority value; of equals, the last to arrive.

    vLLM under the priority policy (0.33.0).
    """
    return max(running, key=lambda c: (c.request.priority, c.order))


def fewest_generated(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the one with the fewest generated tokens; of equals, the one with the longest prompt.

    Then the last admitted. SGLang's rule, without speculative decoding.
    """
    return min(reversed(running), key=lambda c: (c.generated_tokens, -c.request.prompt_tokens))


def smallest_cache(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the one with the fewest cached tokens: the cheapest to rebuild or to move.

    Of equals, the last admitted. Proposed in vLLM thread 54644.
    """
    return min(reversed(running), key=lambda c: c.cached_tokens)


def largest_cache(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the one with the most cached tokens: it frees most. Of equals, the last admitted."""
    return max(reversed(running), key=lambda c: c.cached_tokens)


def most_remaining(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the one with the most tokens left to generate; of equals, the last admitted.

    Only a simulator can follow this rule: an engine does not know how long an answer gets.
    """
    return max(reversed(running), key=lambda c: c.request.output_tokens - c.generated_tokens)


def cheapest_per_block_freed(running: tuple[Candidate, ...]) -> Candidate:
    """Pick the one with the fewest cached tokens per block freed; of equals, the last admitted.

    A block that is only partly filled is freed at a discount. Proposed in vLLM thread 56897.
    """
    return min(reversed(running), key=lambda c: c.cached_tokens / c.blocks)


def random_with_seed(seed: int = 0) -> Rule:
    """Return the rule that picks any request, all equally likely. There are no ties.

    The draw depends only on the seed, the number of running requests and their cached tokens:
    the same batch in the same state loses the same request, however often a run is repeated.
    `seed` is a whole number, 0 or more.
    """
    seed = whole("seed", seed, least=0)

    def random_victim(running: tuple[Candidate, ...]) -> Candidate:
        cached = sum([c.cached_tokens for c in running])
        draw = random.Random(f"{seed} {len(running)} {cached}").random()
        return running[int(draw * len(running))]

    return random_victim


RULES: dict[str, Rule] = {
    "last admitted": last_admitted,
    "priority": priority,
    "fewest generated": fewest_generated,
    "smallest cache": smallest_cache,
    "largest cache": largest_cache,
    "most remaining": most_remaining,
    "cheapest per block freed": cheapest_per_block_freed,
    "random": random_with_seed(0),
}
"""The rules by name. `random` has the seed 0; for another one use `random_with_seed`."""


def rule_for(victim: Rule | str | None, policy: str) -> Rule:
    """Return the rule that is meant by `victim` under a policy.

    None follows the policy as vLLM does; a name may have spaces or underscores; a function is a
    rule itself. Raises ValueError for an unknown name or policy, TypeError for anything else.
    """
    choice("policy", policy, POLICIES)
    if victim is None:
        return priority if policy == "priority" else last_admitted
    if isinstance(victim, str):
        if victim.replace("_", " ") not in RULES:
            known = ", ".join(map(repr, RULES))
            raise ValueError(f"victim must be one of {known}, not {shown(victim)}")
        return RULES[victim.replace("_", " ")]
    if not callable(victim):
        raise TypeError(f"victim must be a rule's name or a function, not {shown(victim)}")
    return victim


def choose(rule: Rule, running: tuple[Candidate, ...]) -> int:
    """Ask a rule for a victim and return its position among the running requests."""
    victim = rule(running)
    for position, candidate in enumerate(running):
        if candidate is victim:
            return position
    raise ValueError(f"victim must return one of the running requests, not {shown(victim)}")
