"""Right solutions in many styles: each of them has to be accepted.

`STYLES` maps a task to its functions. They may call the package's own functions, as a
reader's functions call each other.
"""

import enum
import functools
import heapq
import itertools
import math
import operator
from collections import defaultdict, deque
from decimal import Decimal
from fractions import Fraction

import numpy as np

from preemption.costs import cheaper, crossover_bandwidth, recompute_ms, swap_ms

STYLES = defaultdict(list)


def solves(task):
    """Enter a function among the solutions of a task."""
    return lambda function: STYLES[task].append(function) or function


# recompute_ms

solves("recompute_ms")(lambda tokens, ms_per_token=0.1: tokens * ms_per_token)
solves("recompute_ms")(lambda t, m=0.1: m * t)
solves("recompute_ms")(lambda *values, ms_per_token=0.1: math.prod([ms_per_token, *values]))


@solves("recompute_ms")
def prints_on_the_way(tokens, ms_per_token=0.1):
    print("recomputing", tokens)
    return float(tokens * ms_per_token)


@solves("recompute_ms")
def adds_token_by_token(tokens, ms_per_token=0.1):
    total = 0
    for _ in range(tokens):
        total += ms_per_token
    return total


@solves("recompute_ms")
def numpy_scalar(tokens, ms_per_token=0.1):
    return np.multiply(tokens, ms_per_token)


@solves("recompute_ms")
def numpy_array_of_no_dimension(tokens, ms_per_token=0.1):
    return np.asarray(np.float64(tokens) * ms_per_token)


@solves("recompute_ms")
def exact_fraction(tokens: int, ms_per_token: float = 0.1) -> Fraction:
    return Fraction(tokens) * Fraction(ms_per_token)


class Recompute:
    def __call__(self, tokens, ms_per_token=0.1):
        return tokens / (1 / ms_per_token) if ms_per_token else 0


solves("recompute_ms")(Recompute())
solves("recompute_ms")(Recompute().__call__)


@solves("recompute_ms")
def decimals(tokens, ms_per_token=0.1):
    return tokens * Decimal(str(ms_per_token))


@solves("recompute_ms")
def fraction_of_text(tokens, ms_per_token="0.1"):
    return tokens * Fraction(str(ms_per_token))


class Ms(float):
    """A time with its unit."""


solves("recompute_ms")(lambda tokens, ms_per_token=0.1: Ms(tokens * ms_per_token))
solves("recompute_ms")(lambda tokens, ms_per_token=0.1: np.longdouble(tokens) * ms_per_token)
solves("recompute_ms")(lambda tokens, ms_per_token=0.1: tokens * (ms_per_token / 1000) * 1000)


# swap_ms


@solves("swap_ms")
def step_by_step(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    if bandwidth_bytes_per_s <= 0:
        raise ValueError("bandwidth must be positive")
    cache_bytes = tokens * per_token_bytes
    seconds = cache_bytes / bandwidth_bytes_per_s
    if round_trip:
        seconds *= 2
    return seconds * 1e3


@solves("swap_ms")
def keyword_only_flag(tokens, per_token_bytes, bandwidth_bytes_per_s, *, round_trip=True):
    if not bandwidth_bytes_per_s > 0:
        raise ValueError
    return (1 + round_trip) * tokens * per_token_bytes / bandwidth_bytes_per_s / 0.001


@solves("swap_ms")
def calls_itself(tokens, size, bandwidth, round_trip=True):
    if bandwidth <= 0:
        raise ValueError(f"{bandwidth=}")
    if round_trip:
        return 2 * calls_itself(tokens, size, bandwidth, False)
    return 1000 / bandwidth * size * tokens


@solves("swap_ms")
def raises_a_kind_of_value_error(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    class BandwidthError(ValueError):
        pass

    try:
        one_way = tokens * per_token_bytes * 1000 / bandwidth_bytes_per_s
    except ZeroDivisionError as error:
        raise BandwidthError from error
    if bandwidth_bytes_per_s < 0:
        raise BandwidthError(bandwidth_bytes_per_s)
    return one_way + one_way if round_trip else one_way


@solves("swap_ms")
def checks_last(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    bandwidth = np.float64(bandwidth_bytes_per_s)
    time = np.divide(1000.0 * tokens * per_token_bytes, bandwidth)  # warns of a division by 0
    if bandwidth <= 0:
        raise ValueError("no bandwidth")
    return time * np.where(round_trip, 2, 1)


@solves("swap_ms")
def by_generator(*args, **options):
    def parts(tokens, per_token_bytes, bandwidth, round_trip=True):
        if bandwidth <= 0:
            raise ValueError("stalled")
        for _ in range(2 if round_trip else 1):
            yield tokens * per_token_bytes / (bandwidth / 1000)

    return sum(parts(*args, **options))


@solves("swap_ms")
@functools.cache
def cached(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    if bandwidth_bytes_per_s <= 0:
        raise ValueError
    return [1, 2][round_trip] * (tokens * per_token_bytes) / bandwidth_bytes_per_s * 1000


@solves("swap_ms")
def in_gb(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    gb, gb_per_s = tokens * per_token_bytes / 1e9, bandwidth_bytes_per_s / 1e9
    if gb_per_s <= 0:
        raise ValueError("no link")
    return gb / gb_per_s * 1000 * (2 if round_trip else 1)


@solves("swap_ms")
def decimals_of_bytes(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    bandwidth = Decimal(bandwidth_bytes_per_s)
    if bandwidth <= 0:
        raise ValueError(bandwidth)
    return Decimal(1000 * (1 + round_trip)) * tokens * per_token_bytes / bandwidth


@solves("swap_ms")
def fractions(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    if bandwidth_bytes_per_s <= 0:
        raise ValueError
    one_way = Fraction(1000 * tokens * per_token_bytes) / Fraction(bandwidth_bytes_per_s)
    return one_way * [1, 2][round_trip]


@solves("swap_ms")
def by_the_ms(tokens, per_token_bytes, bandwidth_bytes_per_s, round_trip=True):
    if np.sign(bandwidth_bytes_per_s) < 1:
        raise ValueError
    per_ms = np.float64(bandwidth_bytes_per_s) / 1000
    return sum([per_token_bytes / per_ms * tokens] * (2 if round_trip else 1))


# cheaper

solves("cheaper")(lambda *x: "swap" if swap_ms(*x) < recompute_ms(x[0]) else "recompute")


@solves("cheaper")
def other_way_round(tokens, per_token_bytes, bandwidth_bytes_per_s):
    if recompute_ms(tokens) <= swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s, True):
        return "recompute"
    return "swap"


@solves("cheaper")
def in_seconds(tokens, per_token_bytes, bandwidth_bytes_per_s):
    swap_s = 2 * tokens * per_token_bytes / bandwidth_bytes_per_s
    recompute_s = tokens * 0.1 / 1000
    return "swap" if swap_s < recompute_s else "recompute"


@solves("cheaper")
def smallest_of_two(tokens, per_token_bytes, bandwidth_bytes_per_s):
    times = {
        "recompute": recompute_ms(tokens),
        "swap": swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s),
    }
    return min(times, key=times.get)


@solves("cheaper")
def by_crossover(tokens, per_token_bytes, bandwidth_bytes_per_s):
    faster = bandwidth_bytes_per_s > crossover_bandwidth(per_token_bytes)
    return "swap" if faster and tokens > 0 else "recompute"


@solves("cheaper")
def by_index(tokens, per_token_bytes, bandwidth_bytes_per_s):
    one_way = 1000 * tokens * per_token_bytes / bandwidth_bytes_per_s
    return np.array(["recompute", "swap"])[int(tokens * 0.1 - 2 * one_way > 0)]


@solves("cheaper")
def sorts_pairs(tokens, per_token_bytes, bandwidth_bytes_per_s):
    swap = swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s)
    # In a tie "recompute" comes before "swap", as in a dictionary.
    return sorted([(swap, "swap"), (recompute_ms(tokens), "recompute")])[0][1]


# In every usual unit, in several orders of the factors.
for per in (1, 1e3, 1e6, 1e9, 10**9):
    solves("cheaper")(
        lambda n, size, speed, per=per: (
            "swap" if 2 * (n * size / per) / (speed / per) < n * 0.1 / 1000 else "recompute"
        )
    )
    solves("cheaper")(
        lambda n, size, speed, per=per: (
            "swap" if size / per * n / (speed / per) * 2 * 1000 < n * 0.1 else "recompute"
        )
    )
    solves("cheaper")(
        lambda n, size, speed, per=per: (
            "swap" if n * (2 * (size / per) / (speed / per)) < n * 1e-4 else "recompute"
        )
    )
solves("cheaper")(lambda n, b, w: ["recompute", "swap"][2 * n * b / (w / 1000) < n / 10])
solves("cheaper")(lambda n, b, w: ["recompute", "swap"][2000 / w * n * b < n * 0.1])
solves("cheaper")(lambda n, b, w: ["recompute", "swap"][n > 0 and w / 1e9 > 2 * b / 1e9 / 1e-4])
solves("cheaper")(lambda n, b, w: ["recompute", "swap"][n > 0 and b / w < 0.1 / 2000])


@solves("cheaper")
def decimals_compared(tokens, per_token_bytes, bandwidth_bytes_per_s):
    swap = 2000 * Decimal(tokens) * per_token_bytes / Decimal(bandwidth_bytes_per_s)
    return "swap" if swap < tokens * Decimal("0.1") else "recompute"


@solves("cheaper")
def fractions_compared(tokens, per_token_bytes, bandwidth_bytes_per_s):
    swap_s = 2 * Fraction(tokens * per_token_bytes) / Fraction(bandwidth_bytes_per_s)
    return "swap" if swap_s < Fraction(tokens, 10_000) else "recompute"


class Way(enum.StrEnum):
    SWAP = "swap"
    RECOMPUTE = "recompute"


class Word(str, enum.Enum):  # noqa: UP042  # as before Python 3.11
    SWAP = "swap"
    RECOMPUTE = "recompute"


class Label(str):
    """A word that brings its own methods."""


@solves("cheaper")
def enum_of_strings(*x):
    return Way.SWAP if swap_ms(*x) < recompute_ms(x[0]) else Way.RECOMPUTE


@solves("cheaper")
def older_enum_of_strings(*x):
    return Word.SWAP if swap_ms(*x) < recompute_ms(x[0]) else Word.RECOMPUTE


solves("cheaper")(lambda *x: Label("swap" if swap_ms(*x) < recompute_ms(x[0]) else "recompute"))
solves("cheaper")(lambda *x: np.where(swap_ms(*x) < recompute_ms(x[0]), "swap", "recompute"))


# pick_victim

solves("pick_victim")(lambda seqs: min(seqs.items(), key=lambda pair: (pair[1], pair[0]))[0])
solves("pick_victim")(lambda seqs: min(sorted(seqs), key=seqs.get))
solves("pick_victim")(lambda seqs: min((tokens, name) for name, tokens in seqs.items())[1])


@solves("pick_victim")
def loop(seqs):
    victim = None
    for name, tokens in seqs.items():
        if victim is None or tokens < seqs[victim] or (tokens == seqs[victim] and name < victim):
            victim = name
    if victim is None:
        raise ValueError("nobody to evict")
    return victim


@solves("pick_victim")
def sorts(seqs):
    if len(seqs) == 0:
        raise ValueError("empty")
    fewest = sorted(seqs.values())[0]
    return sorted(name for name in seqs if seqs[name] == fewest)[0]


@solves("pick_victim")
def empties_a_copy(seqs):
    left = dict(seqs)
    while len(left) > 1:
        left.pop(max(left, key=lambda name: (left[name], name)))
    for name in left:
        return name
    raise ValueError("empty")


@solves("pick_victim")
def heap(seqs):
    if not seqs:
        raise ValueError("empty")
    pairs = [(tokens, name) for name, tokens in seqs.items()]
    heapq.heapify(pairs)
    return heapq.heappop(pairs)[1]


@solves("pick_victim")
def numpy_names(seqs):
    names = np.array(sorted(seqs))
    return names[np.argmin([seqs[name] for name in names])]


@solves("pick_victim")
def two_at_a_time(seqs):
    if seqs == {}:
        raise ValueError("empty")
    return functools.reduce(lambda a, b: a if (seqs[a], a) < (seqs[b], b) else b, seqs)


solves("pick_victim")(lambda seqs: Label(min(seqs, key=lambda name: (seqs[name], name))))
solves("pick_victim")(lambda seqs: min(sorted(seqs.items()), key=operator.itemgetter(1))[0])


@solves("pick_victim")
def from_infinity(seqs):
    victim, fewest = None, math.inf
    for name in sorted(seqs):
        if seqs[name] < fewest:
            victim, fewest = name, seqs[name]
    if victim is None:
        raise ValueError("nobody")
    return victim


@solves("pick_victim")
def from_a_very_large_number(seqs):
    if not seqs:
        raise ValueError
    victim, fewest = "", 10**18
    for name in seqs:
        if seqs[name] < fewest or (seqs[name] == fewest and name < victim):
            victim, fewest = name, seqs[name]
    return victim


# eviction_overhead


@solves("eviction_overhead")
def adds_up(evictions):
    total = 0.0
    for tokens, strategy in evictions:
        if strategy == "recompute":
            total += tokens * 0.1
        elif strategy == "swap":
            total += 2 * tokens * 131072 / 25e9 * 1000
        else:
            raise ValueError(strategy)
    return total


solves("eviction_overhead")(
    lambda evictions: sum(
        recompute_ms(n) if way[0] == "r" else swap_ms(n, 131_072, 25e9) for n, way in evictions
    )
)
solves("eviction_overhead")(
    lambda evictions: math.fsum(
        {"recompute": 0.1, "swap": 0.01048576}[event[1]] * event[0] for event in evictions
    )
)


@solves("eviction_overhead")
def matches(events):
    ms = 0
    for event in events:
        match event:
            case (tokens, "recompute"):
                ms += recompute_ms(tokens)
            case (tokens, "swap"):
                ms += swap_ms(tokens, 2**17, 25 * 10**9, round_trip=True)
    return ms


@solves("eviction_overhead")
def recursive(evictions):
    if not evictions:
        return 0
    (tokens, strategy), *rest = evictions
    first = tokens / 10 if strategy == "recompute" else tokens * 2 * 131_072 / 25e6
    return first + recursive(rest)


@solves("eviction_overhead")
def with_numpy(evictions):
    tokens = np.array([event[0] for event in evictions], dtype=float)
    swapped = np.array([event[1] == "swap" for event in evictions], dtype=bool)
    return np.where(swapped, swap_ms(tokens, 131_072, 25e9), recompute_ms(tokens)).sum()


@solves("eviction_overhead")
def by_name(evictions):
    ways = {"recompute": recompute_ms, "swap": lambda tokens: swap_ms(tokens, 131072, 25e9)}
    return functools.reduce(operator.add, (ways[way](tokens) for tokens, way in evictions), 0)


@solves("eviction_overhead")
def decimals_added(evictions):
    ms = {"recompute": Decimal("0.1"), "swap": Decimal("0.01048576")}
    return sum(tokens * ms[way] for tokens, way in evictions)


@solves("eviction_overhead")
def fractions_added(evictions):
    ms = {"recompute": Fraction(1, 10), "swap": Fraction(2 * 131_072 * 1000, 25 * 10**9)}
    return sum((tokens * ms[way] for tokens, way in evictions), Fraction())


@solves("eviction_overhead")
def counted_in_gb(evictions):
    seconds = 0
    for tokens, way in evictions:
        seconds += tokens * 1e-4 if Way(way) is Way.RECOMPUTE else 2 * tokens * 131_072 / 1e9 / 25
    return np.float64(1000) * seconds


# crossover_bandwidth

solves("crossover_bandwidth")(lambda size, ms=0.1, both=True: (1 + both) * size * 1000 / ms)


@solves("crossover_bandwidth")
def per_token(per_token_bytes, ms_per_token=0.1, round_trip=True):
    seconds = ms_per_token / 1000
    moved = per_token_bytes * 2 if round_trip else per_token_bytes
    return moved / seconds


@solves("crossover_bandwidth")
def from_swap(per_token_bytes, ms_per_token=0.1, round_trip=True):
    at_one_byte_per_s = swap_ms(1, per_token_bytes, 1, round_trip)
    return at_one_byte_per_s / ms_per_token


@solves("crossover_bandwidth")
def with_a_thousand_tokens(per_token_bytes, ms_per_token=0.1, round_trip=True):
    trips = {True: 2, False: 1}[round_trip]
    return trips * 1000 * per_token_bytes / (recompute_ms(1000, ms_per_token) * 1e-3)


@solves("crossover_bandwidth")
def halves(per_token_bytes, ms_per_token=0.1, round_trip=True):
    low, high = 0.0, 1e15
    for _ in range(200):
        middle = (low + high) / 2
        if swap_ms(1, per_token_bytes, middle, round_trip) > recompute_ms(1, ms_per_token):
            low = middle
        else:
            high = middle
    return high if per_token_bytes else 0


@solves("crossover_bandwidth")
def numpy_flag(per_token_bytes, ms_per_token=0.1, round_trip=True):
    return np.float64(per_token_bytes) * np.array([1, 2])[int(round_trip)] / ms_per_token * 1e3


solves("crossover_bandwidth")(
    lambda b, ms=0.1, both=True: Decimal(1000 * b * (1 + both)) / Decimal(ms)
)
solves("crossover_bandwidth")(
    lambda b, ms=0.1, both=True: Fraction(1000 * b * (1 + both)) / Fraction(ms)
)
solves("crossover_bandwidth")(
    lambda b, ms=0.1, both=True: (1 + both) * (b / 1e9) / (ms / 1e3) * 1e9
)


# pick_victims


def _blocks(tokens):
    return (tokens + 15) // 16


@solves("pick_victims")
def bit_masks(seqs, blocks_needed):
    names = list(seqs)
    best = None
    for mask in range(2 ** len(names)):
        group = [name for place, name in enumerate(names) if mask >> place & 1]
        cost = sum(seqs[name] for name in group)
        enough = sum(_blocks(seqs[name]) for name in group) >= blocks_needed
        if enough and (best is None or cost < best[0]):
            best = cost, group
    if best is None:
        raise ValueError("too few blocks")
    return best[1]


@solves("pick_victims")
def take_it_or_leave_it(seqs, blocks_needed):
    def best(names, needed):
        if needed <= 0:
            return 0, ()
        if not names:
            return math.inf, ()
        first, *rest = names
        cost, group = best(rest, needed - _blocks(seqs[first]))
        return min(best(rest, needed), (cost + seqs[first], (first, *group)))

    cost, group = best(list(seqs), blocks_needed)
    if cost == math.inf:
        raise ValueError("too few blocks")
    return group


@solves("pick_victims")
def table_of_costs(seqs, blocks_needed):
    cheapest = {0: (0, frozenset())}
    for name, tokens in seqs.items():
        for blocks, (cost, group) in list(cheapest.items()):
            more = min(blocks_needed, blocks + math.ceil(tokens / 16))
            if more not in cheapest or cost + tokens < cheapest[more][0]:
                cheapest[more] = cost + tokens, group | {name}
    if blocks_needed not in cheapest:
        raise ValueError("too few blocks")
    return cheapest[blocks_needed][1]


@solves("pick_victims")
def cheapest_group_first(seqs, blocks_needed):
    groups = itertools.chain.from_iterable(
        itertools.combinations(seqs, size) for size in range(len(seqs) + 1)
    )
    for group in sorted(groups, key=lambda names: sum(map(seqs.get, names))):
        if sum(_blocks(seqs[name]) for name in group) >= blocks_needed:
            return set(group)
    raise ValueError("too few blocks")


@solves("pick_victims")
def keeps_the_dearest(seqs, blocks_needed):
    total = sum(map(_blocks, seqs.values()))
    groups = [[]]
    for name in seqs:
        groups += [[*group, name] for group in groups]
    kept = [
        group for group in groups if total - sum(_blocks(seqs[n]) for n in group) >= blocks_needed
    ]
    if not kept:
        raise ValueError("too few blocks")
    dearest = max(kept, key=lambda group: sum(seqs[name] for name in group))
    return [name for name in reversed(seqs) if name not in dearest]


@solves("pick_victims")
def numpy_choices(seqs, blocks_needed):
    names, tokens = np.array(list(seqs), dtype=str), np.array(list(seqs.values()), dtype=int)
    choices = np.array(list(itertools.product([0, 1], repeat=len(seqs))), dtype=int)
    choices = choices.reshape(-1, len(seqs))
    choices = choices[choices @ -(-tokens // 16) >= blocks_needed]
    if not len(choices):
        raise ValueError("too few blocks")
    return list(names[choices[(choices @ tokens).argmin()] == 1])


@solves("pick_victims")
def grows_a_deque(seqs, blocks_needed):
    best, waiting = None, deque([((), 0, 0, tuple(seqs))])
    while waiting:
        group, tokens, blocks, rest = waiting.popleft()
        if blocks >= blocks_needed:
            if best is None or tokens < best[0]:
                best = tokens, group
        else:
            for place, name in enumerate(rest):
                one = (*group, name), tokens + seqs[name], blocks + _blocks(seqs[name])
                waiting.append((*one, rest[place + 1 :]))
    if best is None:
        raise ValueError
    return deque(best[1])


@solves("pick_victims")
def gives_keys(seqs, blocks_needed):
    groups = [
        dict(g) for k in range(len(seqs) + 1) for g in itertools.combinations(seqs.items(), k)
    ]
    enough = [g for g in groups if sum(map(_blocks, g.values())) >= blocks_needed]
    return min(enough, key=lambda group: sum(group.values())).keys()


@solves("pick_victims")
def gives_an_array(seqs, blocks_needed):
    return np.array(bit_masks(seqs, blocks_needed), dtype=object)


@solves("pick_victims")
def labels(seqs, blocks_needed):
    return list(map(Label, bit_masks(seqs, blocks_needed)))


# share_to_recompute

solves("share_to_recompute")(lambda size, speed, ms=0.1: 1 / (1 + ms * speed / 1000 / size))


@solves("share_to_recompute")
def by_rates(per_token_bytes, bandwidth_bytes_per_s, ms_per_token=0.1):
    recomputed_per_ms = 1 / ms_per_token
    loaded_per_ms = bandwidth_bytes_per_s / per_token_bytes / 1000
    return recomputed_per_ms / (recomputed_per_ms + loaded_per_ms)


@solves("share_to_recompute")
def in_seconds_per_token(per_token_bytes, bandwidth_bytes_per_s, ms_per_token=0.1):
    load_s = per_token_bytes / bandwidth_bytes_per_s
    prefill_s = ms_per_token / 1000
    return 1 - prefill_s / (prefill_s + load_s)


@solves("share_to_recompute")
def from_one_way_swap(per_token_bytes, bandwidth_bytes_per_s, *, ms_per_token=0.1):
    load = swap_ms(1000, per_token_bytes, bandwidth_bytes_per_s, round_trip=False)
    return load / (load + recompute_ms(1000, ms_per_token))


@solves("share_to_recompute")
def closes_in(per_token_bytes, bandwidth_bytes_per_s, ms_per_token=0.1):
    low, high = 0.0, 1.0
    load_ms = 1000 * per_token_bytes / bandwidth_bytes_per_s
    for _ in range(100):
        share = (low + high) / 2
        if share * ms_per_token < (1 - share) * load_ms:
            low = share
        else:
            high = share
    return high


@solves("share_to_recompute")
def solves_a_system(per_token_bytes, bandwidth_bytes_per_s, ms_per_token=0.1):
    load_ms = 1000 * per_token_bytes / bandwidth_bytes_per_s
    recomputed, _ = np.linalg.solve([[1, 1], [ms_per_token, -load_ms]], [1, 0])
    return recomputed


solves("share_to_recompute")(
    lambda b, w, ms=0.1: Fraction(b) / (Fraction(b) + Fraction(ms) * Fraction(w) / 1000)
)
solves("share_to_recompute")(
    lambda b, w, ms=0.1: Decimal(b) / (b + Decimal(ms) * Decimal(w) / 1000)
)
solves("share_to_recompute")(lambda b, w, ms=0.1: (b / 1e9) / (b / 1e9 + ms / 1e3 * w / 1e9))


# spare_the_oldest


@solves("spare_the_oldest")
def stars(running):
    oldest, *younger = running
    return min(younger[::-1] or [oldest], key=running.get)


@solves("spare_the_oldest")
def loops_and_compares(running):
    victim = None
    for place, (name, tokens) in enumerate(running.items()):
        if place and (victim is None or tokens <= running[victim]):
            victim = name
    return next(iter(running)) if victim is None else victim


@solves("spare_the_oldest")
def sorts_pairs_with_places(running):
    pairs = sorted((tokens, -place, name) for place, (name, tokens) in enumerate(running.items()))
    first = next(iter(running))
    return next((name for *_, name in pairs if name != first), first)


@solves("spare_the_oldest")
def takes_the_first_out(running):
    left = dict(running)
    if len(left) > 1:
        del left[next(iter(left))]
    fewest = min(left.values())
    return [name for name, tokens in left.items() if tokens == fewest][-1]


@solves("spare_the_oldest")
def numpy_places(running):
    names, tokens = list(running), np.array(list(running.values()))
    if len(names) == 1:
        return names[0]
    return np.array(names)[np.flatnonzero(tokens == tokens[1:].min())[-1]]


@solves("spare_the_oldest")
def heap_of_the_younger(running):
    pairs = [(tokens, -place, name) for place, (name, tokens) in enumerate(running.items())]
    heap = pairs[1:] or pairs
    heapq.heapify(heap)
    return heap[0][2]


@solves("spare_the_oldest")
def reduces(running):
    def smaller(one, other):
        return other if running[other] <= running[one] else one

    return functools.reduce(smaller, list(running)[1:] or running)


@solves("spare_the_oldest")
def label_of_an_enum(running):
    return Label(stars(running))


# utilization

solves("utilization")(lambda rows: 1 - sum(row.count(None) for row in rows) / sum(map(len, rows)))
solves("utilization")(lambda rows: np.mean([[name is not None for name in row] for row in rows]))
solves("utilization")(lambda r: Fraction(sum(map(bool, itertools.chain(*r))), len(r) * len(r[0])))


@solves("utilization")
def counts(rows):
    active = available = 0
    for row in rows:
        for name in row:
            available += 1
            if name:
                active += 1
    return active / available


@solves("utilization")
def mean_of_rows(rows):
    return sum(sum(name is not None for name in row) / len(row) for row in rows) / len(rows)


@solves("utilization")
def filters(rows):
    places = [name for row in rows for name in row]
    return len([name for name in places if name is not None]) / len(places)


solves("utilization")(lambda rows: 1 - np.float64((np.array(rows) == None).mean()))  # noqa: E711
solves("utilization")(
    lambda rows: Decimal(sum(n is not None for r in rows for n in r)) / sum(map(len, rows))
)


# continuous_schedule


@solves("continuous_schedule")
def iteration_by_iteration(lengths, slots):
    waiting = list(lengths)
    left = dict(lengths)
    row = [None] * slots
    rows = []
    while left:
        for slot in range(slots):
            if row[slot] is None and waiting:
                row[slot] = waiting.pop(0)
        rows.append(list(row))
        for slot, name in enumerate(row):
            if name is not None:
                left[name] -= 1
                if left[name] == 0:
                    row[slot] = None
                    del left[name]
    return rows


@solves("continuous_schedule")
def zips_columns(lengths, slots):
    columns = [[] for _ in range(slots)]
    for name, length in lengths.items():
        min(columns, key=len).extend([name] * length)
    return list(itertools.zip_longest(*columns))


@solves("continuous_schedule")
def heap_of_free_slots(lengths, slots):
    free = [(0, slot) for slot in range(slots)]
    rows = []
    for name in lengths:
        start, slot = heapq.heappop(free)
        end = start + lengths[name]
        rows += [[None] * slots for _ in range(end - len(rows))]
        for iteration in range(start, end):
            rows[iteration][slot] = name
        heapq.heappush(free, (end, slot))
    return rows


@solves("continuous_schedule")
def counts_down(lengths, slots):
    line = iter(lengths.items())
    row, left, rows = [None] * slots, [0] * slots, []
    while True:
        for slot in range(slots):
            if left[slot] == 0:
                row[slot], left[slot] = next(line, (None, 0))
        if not any(left):
            return rows
        rows.append(tuple(row))
        left = [max(0, count - 1) for count in left]


@solves("continuous_schedule")
def recursive_rows(lengths, slots):
    def rows(held, waiting):
        held = list(held)
        for slot in range(slots):
            if held[slot] is None and waiting:
                held[slot], *waiting = waiting
        if held.count(None) == slots:
            return []
        after = [(name, left - 1) if left > 1 else None for name, left in filter(None, held)]
        following = iter(after)
        later = [None if entry is None else next(following) for entry in held]
        return [[entry and entry[0] for entry in held], *rows(later, waiting)]

    return rows([None] * slots, list(lengths.items()))


@solves("continuous_schedule")
def generator_inside(lengths, slots):
    def spans():
        free_at = [0] * slots
        for name, length in lengths.items():
            slot = free_at.index(min(free_at))
            yield slot, range(free_at[slot], free_at[slot] + length), name
            free_at[slot] += length

    entries = {(i, slot): name for slot, iterations, name in spans() for i in iterations}
    last = max(iteration for iteration, _ in entries)
    return [[entries.get((i, slot)) for slot in range(slots)] for i in range(last + 1)]


@solves("continuous_schedule")
def array_of_objects(lengths, slots):
    return np.array(iteration_by_iteration(lengths, slots), dtype=object)


@solves("continuous_schedule")
def deques_of_labels(lengths, slots):
    rows = iteration_by_iteration(lengths, slots)
    return deque(deque(name and Label(name) for name in row) for row in rows)


# A right function of the package is right as well.
solves("cheaper")(cheaper)
