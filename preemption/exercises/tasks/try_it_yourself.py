"""The functions of notebook 02: costs (`swap_ms`, ...) and victims (`pick_victim`, ...)."""

from collections.abc import Mapping
from itertools import combinations
from textwrap import dedent

from preemption import costs
from preemption.exercises import mistakes
from preemption.exercises.judge import Case, Task


def pick_victims(seqs: Mapping[str, int], blocks_needed: int) -> list[str]:
    """Names of the sequences to evict so that enough blocks are freed at the least cost.

    `seqs` maps a name to its cached tokens. A block holds 16 tokens, vLLM's default; a
    sequence's last block may be part full and is freed as well. The cost is the time to
    rebuild the caches, in proportion to their tokens. If several groups cost the least, any
    will do, in any order. Raises ValueError if all sequences together hold too few blocks.
    Tries all groups, so it is for a handful of sequences.
    """
    groups = [group for size in range(len(seqs) + 1) for group in combinations(seqs, size)]
    enough = [group for group in groups if mistakes.blocks_of(seqs, group) >= blocks_needed]
    if not enough:
        raise ValueError(f"{blocks_needed} blocks are needed, more than all of {dict(seqs)} hold")
    return list(min(enough, key=lambda group: mistakes.tokens_of(seqs, group)))


def share_to_recompute(
    per_token_bytes: float, bandwidth_bytes_per_s: float, ms_per_token: float = costs.MS_PER_TOKEN
) -> float:
    """Share of the cached tokens, 0 to 1, to recompute while the rest loads over the link.

    With this share both end at the same time, and the request resumes the soonest. The copy
    out is over: only the way back counts. Formula: with a load time of s and a prefill time
    of r per token, s / (r + s). The idea is that of KVPR and Cake, which overlap the two.
    """
    load_ms = costs.swap_ms(1, per_token_bytes, bandwidth_bytes_per_s, round_trip=False)
    return load_ms / (ms_per_token + load_ms)


TASKS = (
    Task(
        part="functions",
        reference=costs.recompute_ms,
        mistake=mistakes.of_number,
        cases=(
            Case.of(1000),
            Case.of(0),
            Case.of(1),
            Case.of(12_345),
            Case.of(1000, ms_per_token=0.25),
            Case.of(7, ms_per_token=0.0123456789),
            Case.of(500, ms_per_token=3),
            Case.of(500, ms_per_token=0),
            Case.of(150_000),
            Case.of(100, ms_per_token=12.5),
        ),
        hints=(
            "The cache is gone, so every one of its tokens goes through prefill again.",
            "Twice the tokens take twice the time. No tokens take none.",
            "One token takes ms_per_token. How long do `tokens` of them take?",
        ),
        solution=dedent("""\
        def recompute_ms(tokens, ms_per_token=0.1):
            return tokens * ms_per_token
        """),
    ),
    Task(
        part="functions",
        reference=costs.swap_ms,
        mistake=mistakes.of_number,
        cases=(
            Case.of(1000, 131_072, 25e9),
            Case.of(1000, 131_072, 25e9, round_trip=False),
            Case.of(1000, 131_072, 25e9, round_trip=True),
            Case.of(0, 131_072, 25e9),
            Case.of(1, 131_072, 25e9),
            Case.of(12_345, 819_200, 12_400_000_000),
            Case.of(777, 70_272, 83.4e9, round_trip=False),
            Case.of(1000, 0, 25e9),
            Case.of(3, 5, 7),
            Case.of(3, 5, 0.0123456789),
            Case.of(3, 5, 0.0001),
            Case.of(150_000, 20_000_000, 3e12),
            Case.of(1000, 131_072, 0, refused="a bandwidth of 0"),
            Case.of(1000, 131_072, 0.0, round_trip=False, refused="a bandwidth of 0"),
            Case.of(1000, 131_072, -25e9, refused="a bandwidth below 0"),
            Case.of(0, 131_072, -1, refused="a bandwidth below 0"),
        ),
        hints=(
            "How many bytes is the cache? The time to copy it is bytes divided by bandwidth.",
            "Bytes divided by bytes per second is seconds, and ms are asked. And is the cache "
            "copied once or twice?",
            "Begin with `if` and `raise ValueError(...)` for a bandwidth that is not positive. "
            "Then bytes / bandwidth, in ms, once or, for a round trip, twice.",
        ),
        solution=dedent("""\
        def swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
            if bandwidth_bytes_per_s <= 0:
                raise ValueError("the bandwidth must be above 0")
            trips = 2 if round_trip else 1
            return trips * 1000 * tokens * per_token_bytes / bandwidth_bytes_per_s
        """),
    ),
    Task(
        part="functions",
        reference=costs.cheaper,
        mistake=mistakes.of_strategy,
        cases=(
            Case.of(1000, 131_072, 25e9),
            Case.of(1000, 131_072, 1e9),
            Case.of(1000, 131_072, 2e9),
            Case.of(10_000, 819_200, 16e9),
            Case.of(10_000, 819_200, 17e9),
            Case.of(1, 131_072, 2.621e9),
            Case.of(1, 131_072, 2.622e9),
            Case.of(10, 1, 19_999.9996),
            Case.of(10, 1, 20_000.0004),
            Case.of(0, 131_072, 25e9),
            Case.of(150_000, 140_000_000, 3e12),
            Case.of(150_000, 140_000_000, 2.7e12),
            # Ties that stay exact in bytes or GB, in seconds or ms, in every order of the factors.
            Case.of(12_500, 1_000_000, 20e9),
            Case.of(3125, 62_500, 1.25e9),
        ),
        hints=(
            "Work out both times, then compare them.",
            "You have a function for each: swap_ms with its round trip, and recompute_ms.",
            'Give "swap" if swapping takes less than recomputing, and "recompute" if not, so '
            "also when both take the same.",
        ),
        solution=dedent("""\
        def cheaper(tokens, per_token_bytes, bandwidth_bytes_per_s):
            swap = swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s)
            return "swap" if swap < recompute_ms(tokens) else "recompute"
        """),
    ),
    Task(
        part="functions",
        reference=costs.pick_victim,
        mistake=mistakes.of_victim,
        cases=(
            Case.of({"a": 300, "b": 100, "c": 200}),
            Case.of({"a": 100, "b": 200, "c": 300}),
            Case.of({"a": 300, "b": 200, "c": 100}),
            Case.of({"only": 5}),
            Case.of({"b": 7, "c": 9, "a": 7}),
            Case.of({"a": 7, "c": 9, "b": 7}),
            Case.of({"d": 4, "c": 4, "a": 4, "b": 4}),
            Case.of({"r2": 5, "r10": 5}),
            Case.of({"aa": 5, "a": 5}),
            Case.of({"ba": 5, "ab": 5}),
            Case.of({"a": 5, "B": 5}),
            Case.of({"a": 3, "b": 2}),
            Case.of({"a": 9, "b": 10}),
            Case.of({"a": 9, "b": 0, "c": 10}),
            Case.of({"a": 1001, "b": 200}),
            Case.of({"a": 4_000_000_000, "b": 3_000_000_000}),
            Case.of({f"request-{n}": 5 + (n > 2) for n in range(9, 0, -1)}),
            Case.of({"seq 2": 5, "seq 10": 5, "seq": 6}),
            Case.of({"é": 5, "z": 5}),
            Case.of({}, refused="an empty seqs"),
        ),
        hints=(
            "The fewest cached tokens are the cheapest to rebuild. A loop over seqs finds them.",
            "`min(seqs, key=...)` gives the name for which the key is the smallest. On ties it "
            "takes the first it meets, which need not be the first in string order.",
            "Let the key be a pair: first what counts most, then what decides a tie. Python "
            "compares pairs in that order. And what if seqs is empty?",
        ),
        solution=dedent("""\
        def pick_victim(seqs):
            if not seqs:
                raise ValueError("there is no sequence to evict")
            return min(seqs, key=lambda name: (seqs[name], name))
        """),
    ),
    Task(
        part="functions",
        reference=costs.eviction_overhead,
        mistake=mistakes.of_number,
        cases=(
            Case.of([(1000, "recompute"), (1000, "swap")]),
            Case.of([]),
            Case.of([(1000, "recompute")]),
            Case.of([(1000, "swap")]),
            Case.of([(12_345, "swap"), (1, "recompute"), (12_345, "swap")]),
            Case.of([(7, "recompute"), (7, "recompute"), (0, "swap"), (0, "recompute")]),
            Case.of([(1, "swap"), (2000, "recompute"), (30, "swap"), (400, "swap")]),
            Case.of([(n, "swap" if n % 2 else "recompute") for n in range(150_000, 150_009)]),
        ),
        hints=(
            "Go through the events one by one and add up what each costs.",
            'An event is a pair: `for tokens, strategy in evictions:`. A "recompute" costs '
            'recompute_ms, a "swap" costs swap_ms. No events cost 0.',
            "A swap moves 131,072 bytes per token, out and back, over 25e9 bytes per second.",
        ),
        solution=dedent("""\
        def eviction_overhead(evictions):
            recomputed = sum(tokens for tokens, how in evictions if how == "recompute")
            swapped = sum(tokens for tokens, how in evictions if how == "swap")
            return recompute_ms(recomputed) + swap_ms(swapped, 131_072, 25e9)
        """),
    ),
    Task(
        part="stretch tasks",
        reference=costs.crossover_bandwidth,
        mistake=mistakes.of_number,
        cases=(
            Case.of(131_072),
            Case.of(131_072, ms_per_token=0.1, round_trip=False),
            Case.of(131_072, ms_per_token=0.25),
            Case.of(819_200, ms_per_token=0.3, round_trip=True),
            Case.of(70_272, ms_per_token=3, round_trip=False),
            Case.of(1, ms_per_token=7),
            Case.of(131_072, ms_per_token=0.0123456789),
            Case.of(20_000_000, ms_per_token=0.0005),
            Case.of(20_000_000, ms_per_token=12.5),
            Case.of(0),
        ),
        hints=(
            "At this bandwidth both ways take the same time. So begin with one token: how long "
            "does its prefill take, and how many bytes must cross the link in that time?",
            "Bandwidth is bytes divided by seconds. ms_per_token is in ms.",
            "On a round trip the bytes of a token cross the link twice.",
        ),
        solution=dedent("""\
        def crossover_bandwidth(per_token_bytes, ms_per_token=0.1, round_trip=True):
            trips = 2 if round_trip else 1
            return trips * per_token_bytes / (ms_per_token / 1000)
        """),
    ),
    Task(
        part="stretch tasks",
        reference=pick_victims,
        mistake=mistakes.of_victims,
        cases=(
            Case.of({"a": 160, "b": 16, "c": 48}, 3),
            Case.of({"a": 64, "b": 80, "c": 96}, 9),
            Case.of({"a": 16, "b": 64, "c": 80}, 4),
            Case.of({"a": 17, "b": 33, "c": 49}, 4),
            Case.of({"a": 100, "b": 17, "c": 33}, 5),
            Case.of({"a": 15, "b": 17, "c": 18}, 2),
            Case.of({"e": 500, "d": 40, "c": 30, "b": 20, "a": 10}, 6),
            Case.of({"a": 16, "b": 32, "c": 31}, 5),
            Case.of({"a": 33, "b": 40}, 2),
            Case.of({"a": 800, "b": 816}, 51),
            Case.of({"a": 300, "b": 200}, 0),
            Case.of({"a": 33, "b": 64, "c": 30, "d": 100}, 11),
            Case.of({"big": 200} | {f"request-{n}": 16 for n in range(1, 8)}, 7),
            Case.of({"a": 120_000, "b": 110_000}, 6900),
            Case.of({"a": 16, "b": 32}, 4, refused="too few blocks in all"),
            Case.of({}, 1, refused="too few blocks in all"),
        ),
        hints=(
            "How many blocks does a sequence hold? 16 tokens fill one; a 17th begins another.",
            "The cheapest victims one by one need not be the cheapest group. With a handful of "
            "sequences you can try all groups: look up itertools.combinations.",
            "List all groups, keep those that hold enough blocks, and take the one with the "
            "fewest tokens. If none holds enough, raise ValueError.",
        ),
        solution=dedent("""\
        def pick_victims(seqs, blocks_needed):
            from itertools import combinations
            groups = [g for size in range(len(seqs) + 1) for g in combinations(seqs, size)]
            enough = [g for g in groups if sum(-(-seqs[n] // 16) for n in g) >= blocks_needed]
            return list(min(enough, key=lambda g: sum(seqs[n] for n in g)))
        """),
    ),
    Task(
        part="stretch tasks",
        reference=share_to_recompute,
        mistake=mistakes.of_number,
        cases=(
            Case.of(131_072, 25e9),
            Case.of(131_072, 1.31072e9),
            Case.of(131_072, 2.62144e9),
            Case.of(819_200, 12.4e9, ms_per_token=0.3),
            Case.of(70_272, 1e9, ms_per_token=0.02),
            Case.of(1, 1.23456789, ms_per_token=500),
            Case.of(131_072, 10e9, ms_per_token=0.0123456789),
            Case.of(20_000_000, 3e12, ms_per_token=0.0005),
        ),
        hints=(
            "The request resumes when the later of the two has ended. So both should end at "
            "the same time.",
            "How long does one token take to load, one way? Compare it with its prefill. The "
            "slower loading is, the more should be recomputed.",
            "Recomputing a share x takes x times the prefill time, loading the rest 1 - x "
            "times the load time. Set them equal and solve for x.",
        ),
        solution=dedent("""\
        def share_to_recompute(per_token_bytes, bandwidth_bytes_per_s, ms_per_token=0.1):
            load_ms = 1000 * per_token_bytes / bandwidth_bytes_per_s
            return load_ms / (ms_per_token + load_ms)
        """),
    ),
)
