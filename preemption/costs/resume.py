"""What an eviction costs a model on a device: attention, floors and starts of copies counted in.

Recompute, copy, or both at once: times of one event, in ms, over the cached tokens n of the victim:

    recompute  T(n) = max(floor, a + b n) + c n^2
    copy       S(n) = fixed + trips x (copies(n) x launch + bytes(n) / bandwidth)

T has the floor of a forward pass, a part per token, and causal attention. S has a fixed cost per
event, a launch per copy, and the bytes. What the event costs the other requests is left out.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, Self, TypeAlias, get_args, overload

import numpy as np

from preemption.checks import Array, Values, choice, flag, instance, numbers, scalar, shown
from preemption.costs.catalogue import Device, Model, Sure, at_most, profile_of
from preemption.costs.linear import Strategy, crossover_bandwidth

Layout: TypeAlias = Literal["layer", "block"]

EFFICIENCY = 0.5
LAUNCH_US = 6.0  # 5 to 7 were measured, arXiv 2602.21548
BLOCK_TOKENS = 16

# Crossovers in tokens are looked for in this range.
_FIRST_TOKEN, _LAST_TOKEN = 1.0, 1e12
# Costs closer than this, relatively, count as equal: curves that touch, or lines that differ by
# rounding only, do not cross.
_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class Recompute:
    """Time to recompute n cached tokens: T(n) = max(floor, a + b n) + c n^2, in ms.

    a is `start_ms`, b `ms_per_token`, c `ms_per_token2`, each 0 or more. Layers with a sliding
    window w = `window` add `windowed_ms_per_token2` x n^2 up to w tokens, and x (2 w n - w^2)
    beyond, where a token attends to w others only. `source` and `sure` say where this is from.
    Raises ValueError for a value out of range, TypeError for a wrong type.
    """

    floor_ms: float
    start_ms: float
    ms_per_token: float
    ms_per_token2: float = 0.0
    windowed_ms_per_token2: float = 0.0
    window: int | None = None
    source: str
    sure: Sure

    def __post_init__(self) -> None:
        instance("source", self.source, str)
        choice("sure", self.sure, get_args(Sure))
        scalar("floor_ms", self.floor_ms)
        scalar("start_ms", self.start_ms)
        scalar("ms_per_token", self.ms_per_token)
        scalar("ms_per_token2", self.ms_per_token2)
        scalar("windowed_ms_per_token2", self.windowed_ms_per_token2)
        if self.window is not None:
            scalar("window", self.window, positive=True)
        elif self.windowed_ms_per_token2:
            raise ValueError("windowed_ms_per_token2 needs a window")

    @classmethod
    def of(
        cls, model: Model, device: Device, efficiency: float = EFFICIENCY, *, measured: bool = True
    ) -> Self:
        """Return the recompute time of a model on a device.

        Where the catalogue has a measured profile of the pair, and unless `measured` is False,
        the floor and the part per token are measured, and attention where the profile has it.
        Else they are derived: 2 FLOP per active parameter and token at `efficiency` (above 0, at
        most 1) times the device's peak, and as floor the time to read all weights from its memory
        once; for attention, at the same efficiency, of all pairs of tokens half, and for each
        pair, layer and head 2 FLOP per element of key and value. One device is taken to hold the
        model; if several share its work and its cache evenly, this time and that of the bytes
        are divided alike. Raises ValueError if the efficiency is out of range, or if parameters
        are needed and not known.
        """
        flop_per_ms = _flop_per_ms(model, device, efficiency)
        reached = f"at {100 * efficiency:g}% of {device.bf16_tflop_per_s:g} TFLOP/s"
        profile = profile_of(model, device) if flag("measured", measured) else None
        sure: Sure = "derived"
        layer_ms = model.heads * (model.head_dim + model.value_size) / flop_per_ms
        ms_per_token2 = model.full_layers * layer_ms
        if profile is not None:
            floor_ms, start_ms = profile.floor_ms, profile.start_ms
            ms_per_token, sure = profile.ms_per_token, profile.sure
            source = f"measured: {profile.source}; attention derived {reached}"
            if profile.ms_per_token2 is not None:
                source, ms_per_token2 = profile.source, profile.ms_per_token2
        elif model.parameters is not None:
            floor_ms = weight_bytes(model) / (device.memory_gb_per_s * 1e6)
            start_ms = 0.0
            ms_per_token = _flop_per_token(model) / flop_per_ms
            source = (
                f"derived: 2 FLOP per active parameter and token, and attention, {reached}; "
                f"floor: all weights read once at {device.memory_gb_per_s:,g} GB/s"
            )
        else:
            raise _unknown_parameters(model)
        return cls(
            floor_ms=floor_ms,
            start_ms=start_ms,
            ms_per_token=ms_per_token,
            ms_per_token2=ms_per_token2,
            windowed_ms_per_token2=model.windowed_layers * layer_ms,
            window=model.window,
            source=source,
            sure=sure,
        )

    @classmethod
    def linear(cls, model: Model, device: Device, efficiency: float = EFFICIENCY) -> Self:
        """Return what the lesson's linear model counts: the operations of the weights, derived.

        Arguments and errors as in `of`; no floor, no attention.
        """
        flop_per_ms = _flop_per_ms(model, device, efficiency)
        return cls(
            floor_ms=0,
            start_ms=0,
            ms_per_token=_flop_per_token(model) / flop_per_ms,
            source=f"2 FLOP per active parameter and token at {100 * efficiency:g}% of the peak",
            sure="derived",
        )

    @overload
    def ms(self, tokens: float) -> float: ...
    @overload
    def ms(self, tokens: Values) -> float | Array: ...
    def ms(self, tokens: Values) -> float | Array:
        """Time in ms to recompute `tokens` (0 or more; a scalar or a NumPy array)."""
        return self._at(numbers("tokens", tokens))

    def linear_ms(self, tokens: Values) -> float | Array:
        """Max(floor, a + b n) in ms: all but attention, which is what the profiles measured."""
        return self._linear_at(numbers("tokens", tokens))

    def ms_per_token_at(self, tokens: float) -> float:
        """Time in ms that each of `tokens` (above 0) takes."""
        return self.ms(scalar("tokens", tokens, positive=True)) / tokens

    def attention_ms(self, tokens: float) -> float:
        """Time in ms of the attention among `tokens` (0 or more): what `ms` has beyond linear."""
        return self.ms(tokens) - float(self.linear_ms(tokens))

    def _linear_at(self, n: float | Array) -> float | Array:
        line = self.start_ms + self.ms_per_token * n
        if isinstance(line, np.ndarray):
            return np.maximum(line, self.floor_ms)
        return max(line, self.floor_ms)

    def _at(self, n: float | Array) -> float | Array:
        seen = at_most(n, self.window or 0)
        return (
            self._linear_at(n)
            + self.ms_per_token2 * n * n
            + self.windowed_ms_per_token2 * seen * (2 * n - seen)
        )

    def _slope(self, n: float) -> float:
        """Ms that one more token takes; it never falls with n."""
        above_floor = self.start_ms + self.ms_per_token * n >= self.floor_ms
        return (
            self.ms_per_token * above_floor
            + 2 * self.ms_per_token2 * n
            + 2 * self.windowed_ms_per_token2 * min(n, self.window or 0)
        )


@dataclass(frozen=True, kw_only=True)
class Copy:
    """Time to copy the cache of n tokens over a link: S(n) as above, in ms.

    `bits` per element (16, 8, 4). `layout` "layer": each block of `block_tokens` tokens is
    copied for each layer, and for keys and values (not for a latent vector), apart; "block": in
    one piece. Each copy takes `launch_us` microseconds to start, each event `fixed_ms`. With
    `round_trip` the cache goes out and back; without, it is copied out in the background and
    only the way back counts. The times count a part of a block as that part, and a block may
    have any size above 0, so that a crossover is one; `copies` counts whole blocks. Raises
    ValueError for a value out of range, TypeError for a wrong type.
    """

    model: Model
    bandwidth_bytes_per_s: float
    bits: int = 16
    block_tokens: float = BLOCK_TOKENS
    layout: Layout = "layer"
    launch_us: float = LAUNCH_US
    fixed_ms: float = 0.0
    round_trip: bool = True

    def __post_init__(self) -> None:
        scalar("bandwidth_bytes_per_s", self.bandwidth_bytes_per_s, positive=True)
        instance("model", self.model, Model)
        self.model.cache_bytes(1, self.bits)  # refuses other bits
        scalar("block_tokens", self.block_tokens, positive=True)
        scalar("launch_us", self.launch_us)
        scalar("fixed_ms", self.fixed_ms)
        flag("round_trip", self.round_trip)
        choice("layout", self.layout, get_args(Layout))

    @overload
    def ms(self, tokens: float) -> float: ...
    @overload
    def ms(self, tokens: Values) -> float | Array: ...
    def ms(self, tokens: Values) -> float | Array:
        """Time in ms to copy the cache of `tokens` (0 or more; a scalar or a NumPy array)."""
        return self._at(numbers("tokens", tokens))

    def copies(self, tokens: Values) -> float | Array:
        """Count the copies that are started for `tokens` tokens, one way: of whole blocks."""
        n, size = numbers("tokens", tokens), self.block_tokens
        blocks, windowed = np.ceil(n / size), np.ceil(at_most(n, self.model.window or 0) / size)
        full, sliding = self._copies_per_token
        found = np.rint(size * full) * blocks + np.rint(size * sliding) * windowed
        return found if isinstance(tokens, np.ndarray) else float(found)

    def overhead_ms(self, tokens: Values) -> float | Array:
        """Return the part of `ms` that no bandwidth takes away: fixed cost and launches."""
        copies = self._sum(self._copies_per_token, numbers("tokens", tokens))
        return self.fixed_ms + self._trips * 1e-3 * self.launch_us * copies

    def over_links_ms(self, tokens: float, bandwidth_bytes_per_s: Values) -> float | Array:
        """Time in ms over links of other bandwidths (above 0; a scalar or a NumPy array)."""
        bandwidth = numbers("bandwidth_bytes_per_s", bandwidth_bytes_per_s, positive=True)
        overhead_ms = float(self.overhead_ms(scalar("tokens", tokens)))
        moving_ms = self.ms(tokens) - overhead_ms
        return overhead_ms + moving_ms * (self.bandwidth_bytes_per_s / bandwidth)

    def over_blocks_ms(self, tokens: float, block_tokens: Values) -> float | Array:
        """Time in ms in blocks of other sizes (above 0; a scalar or a NumPy array)."""
        blocks = numbers("block_tokens", block_tokens, positive=True)
        launches_ms = self._launches_ms(scalar("tokens", tokens))
        return self.ms(tokens) - launches_ms + launches_ms * (self.block_tokens / blocks)

    def _launches_ms(self, tokens: float) -> float:
        """Return the time that all copies take to start, both ways."""
        return float(self.overhead_ms(tokens)) - self.fixed_ms

    @property
    def _trips(self) -> int:
        return 2 if self.round_trip else 1

    # Pairs of rates: per token in the layers that keep all tokens, and in those that slide.

    @cached_property
    def _copies_per_token(self) -> tuple[float, float]:
        per_token = 1 / self.block_tokens
        if self.layout == "block":  # the sliding layers' part comes along, if any layer keeps all
            return (per_token, 0.0) if self.model.full_layers else (0.0, per_token)
        pieces = 1 if self.model.latent_dim else 2
        return (
            pieces * per_token * self.model.full_layers,
            pieces * per_token * self.model.windowed_layers,
        )

    @cached_property
    def _ms_per_token(self) -> tuple[float, float]:
        layer_ms = 1e3 * self.model.elements * self.bits / 8 / self.bandwidth_bytes_per_s
        launch_ms = 1e-3 * self.launch_us
        full_copies, windowed_copies = self._copies_per_token
        return (
            self._trips * (self.model.full_layers * layer_ms + full_copies * launch_ms),
            self._trips * (self.model.windowed_layers * layer_ms + windowed_copies * launch_ms),
        )

    def _sum(self, rates: tuple[float, float], n: float | Array) -> float | Array:
        return rates[0] * n + rates[1] * at_most(n, self.model.window or 0)

    def _at(self, n: float | Array) -> float | Array:
        return self.fixed_ms + self._sum(self._ms_per_token, n)

    def _slope(self, n: float) -> float:
        """Ms that one more token takes; it never rises with n."""
        full, windowed = self._ms_per_token
        return full + (windowed if n < (self.model.window or 0) else 0.0)


def _check(recompute: Recompute, copy: Copy) -> None:
    instance("recompute", recompute, Recompute)
    instance("copy", copy, Copy)


def crossover_tokens(recompute: Recompute, copy: Copy) -> tuple[float, ...]:
    """Token counts at which both cost the same and the cheaper way changes: none, one or two.

    Looked for from 1 to 1e12 tokens; real numbers, in order. T bends upwards only and S
    downwards only, so their difference has one lowest place and changes its sign at most once on
    either side of it. Where curves touch or coincide (within 1e-9 of their value) they do not
    cross.
    """
    _check(recompute, copy)

    def gap(n: float) -> float:
        return float(recompute._at(n) - copy._at(n))

    def differs(n: float) -> bool:
        return abs(gap(n)) > _EQUAL * float(recompute._at(n))

    lowest = _first(lambda n: recompute._slope(n) >= copy._slope(n), _FIRST_TOKEN, _LAST_TOKEN)
    if gap(lowest) >= 0 or not differs(lowest):
        return ()
    found = []
    if gap(_FIRST_TOKEN) > 0 and differs(_FIRST_TOKEN):
        found.append(_first(lambda n: gap(n) <= 0, _FIRST_TOKEN, lowest))
    if gap(_LAST_TOKEN) > 0 and differs(_LAST_TOKEN):
        found.append(_first(lambda n: gap(n) >= 0, lowest, _LAST_TOKEN))
    return tuple(found)


def cheaper_ways(
    recompute: Recompute, copy: Copy, crossovers: Sequence[float]
) -> tuple[Strategy | None, ...]:
    """Name the cheaper way below, between and above these `crossover_tokens`: one more than they.

    Without crossovers there is one for all counts, or None where both cost the same.
    """
    _check(recompute, copy)
    instance("crossovers", crossovers, Sequence)
    crossovers = [scalar("each of crossovers", n, positive=True) for n in crossovers]
    edges = [crossovers[0] / 4, *crossovers, 4 * crossovers[-1]] if crossovers else [1, 1e6]

    def way(tokens: float) -> Strategy | None:
        costs_ms = recompute.ms(tokens), copy.ms(tokens)
        if not crossovers and math.isclose(*costs_ms):
            return None
        return "swap" if costs_ms[1] < costs_ms[0] else "recompute"

    return tuple(way(math.sqrt(low * high)) for low, high in pairwise(edges))


def most_ahead(recompute: Recompute, copy: Copy, low: float, high: float) -> float:
    """Return by what factor recomputing is cheaper at most, from `low` to `high` tokens (above 0).

    Looked for at 200 counts between the two.
    """
    _check(recompute, copy)
    between = np.geomspace(
        scalar("low", low, positive=True), scalar("high", high, positive=True), 200
    )
    return float(np.max(copy.ms(between) / recompute.ms(between)))


def bends(recompute: Recompute, copy: Copy) -> tuple[float, ...]:
    """Token counts above 0 at which a cost bends: where a window is full or a floor ends."""
    _check(recompute, copy)
    found = {recompute.window or 0.0, copy.model.window or 0.0}
    if recompute.ms_per_token:
        found.add((recompute.floor_ms - recompute.start_ms) / recompute.ms_per_token)
    return tuple(sorted(n for n in found if n > 0))


@overload
def crossover_bandwidth_at(recompute: Recompute, copy: Copy, tokens: float) -> float: ...
@overload
def crossover_bandwidth_at(
    recompute: Recompute, copy: Copy, tokens: Values, block_tokens: Values | None = ...
) -> float | Array: ...
def crossover_bandwidth_at(
    recompute: Recompute, copy: Copy, tokens: Values, block_tokens: Values | None = None
) -> float | Array:
    """Bandwidth in bytes/s at which both cost the same for `tokens`; swap is cheaper above it.

    `copy` gives everything but the bandwidth, its own does not count; nor does its block size
    where `block_tokens` are given (above 0). The result is infinite where no link is fast enough.
    `tokens` is 0 or more; both are scalars or NumPy arrays that broadcast.
    """
    _check(recompute, copy)
    overhead_ms = copy.overhead_ms(tokens)
    if block_tokens is not None:
        smaller = copy.block_tokens / numbers("block_tokens", block_tokens, positive=True)
        overhead_ms = copy.fixed_ms + (overhead_ms - copy.fixed_ms) * smaller
    left_ms = np.asarray(recompute.ms(tokens) - overhead_ms)
    moved = copy._trips * 1e3 * np.asarray(copy.model.cache_bytes(tokens, copy.bits), np.float64)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        bandwidth = np.where(left_ms > 0, moved / left_ms, np.inf)
    return bandwidth if bandwidth.ndim or isinstance(tokens, np.ndarray) else float(bandwidth)


def crossover_block_tokens(recompute: Recompute, copy: Copy, tokens: float) -> float:
    """Block size in tokens at which both cost the same for `tokens`; swap is cheaper above it.

    `copy` gives everything but the block size, its own does not count. The result is 0 if copies
    take no time to start and swap is cheaper, infinite where no block is large enough. `tokens`
    is one number, 0 or more.
    """
    _check(recompute, copy)
    tokens = scalar("tokens", tokens)
    return _meeting_block(copy, tokens, recompute.ms(tokens) - copy.ms(tokens))


def least_block_tokens(recompute: Recompute, copy: Copy, tokens: float) -> float:
    """Block size in tokens up to which no link is fast enough for swap to be cheaper.

    There starting the copies alone takes as long as to recompute. Arguments and result are those
    of `crossover_block_tokens`.
    """
    _check(recompute, copy)
    tokens = scalar("tokens", tokens)
    return _meeting_block(copy, tokens, recompute.ms(tokens) - float(copy.overhead_ms(tokens)))


def _meeting_block(copy: Copy, tokens: float, spare_ms: float) -> float:
    """Return the block size at which the copies take `spare_ms` longer to start than now."""
    launches_ms = copy._launches_ms(tokens)
    left_ms = spare_ms + launches_ms
    return launches_ms * copy.block_tokens / left_ms if left_ms > 0 else math.inf


def linear_crossover_bandwidth(
    model: Model,
    device: Device,
    efficiency: float = EFFICIENCY,
    bits: int = 16,
    round_trip: bool = True,
) -> float:
    """Return the crossover bandwidth in bytes/s of the linear model, for any number of tokens.

    Closed form, bytes per token x FLOP/s reached / active parameters for a round trip: no
    floor, no attention, no launches; for a sliding window it holds below the window. Raises
    ValueError for a value out of range, or if the model's parameters are not known.
    """
    found = linear_crossover_bandwidths([model], [device], efficiency, bits, round_trip)
    return float(found[0, 0])


def linear_crossover_bandwidths(
    models: Sequence[Model],
    devices: Sequence[Device],
    efficiency: float = EFFICIENCY,
    bits: int = 16,
    round_trip: bool = True,
) -> Array:
    """Return `linear_crossover_bandwidth` of all models (rows) on all devices (columns)."""
    for name, entries, kind in (("models", models, Model), ("devices", devices, Device)):
        instance(name, entries, Sequence)
        for entry in entries:
            instance(f"each of {name}", entry, kind)
    reached = 1e9 * _efficiency(efficiency) * np.array([d.bf16_tflop_per_s for d in devices])
    flop = np.array([_flop_per_token(model) for model in models])
    n_bytes = np.array([model.cache_bytes(1, bits) for model in models])
    return np.asarray(crossover_bandwidth(n_bytes[:, None], flop[:, None] / reached, round_trip))


def weight_bytes(model: Model) -> float:
    """Bytes of a model's weights. Raises ValueError if its parameters are not known."""
    instance("model", model, Model)
    if model.parameters is None:
        raise _unknown_parameters(model)
    return model.parameters * model.weight_bits / 8


def devices_for_weights(model: Model, device: Device) -> int:
    """Count the devices that hold a model's weights; 1 if its parameters are not known."""
    instance("model", model, Model)
    instance("device", device, Device)
    known = model.parameters is not None
    return max(1, math.ceil(weight_bytes(model) / (1e9 * device.memory_gb))) if known else 1


def _flop_per_ms(model: Model, device: Device, efficiency: object) -> float:
    """Return the FLOP that the device reaches in a ms; check what `Recompute` is made of."""
    instance("model", model, Model)
    instance("device", device, Device)
    return _efficiency(efficiency) * device.bf16_tflop_per_s * 1e9


def _flop_per_token(model: Model) -> float:
    """Return 2 FLOP per active parameter."""
    if model.parameters is None:
        raise _unknown_parameters(model)
    return 2 * (model.active_parameters or model.parameters)


def _unknown_parameters(model: Model) -> ValueError:
    return ValueError(
        f"the parameters of {model.name} are not known, so no time can be derived from them"
    )


def _efficiency(efficiency: object) -> float:
    share = scalar("efficiency", efficiency, positive=True)
    if share > 1:
        raise ValueError(f"efficiency must be above 0 and at most 1, not {shown(efficiency)}")
    return share


@dataclass(frozen=True)
class Mix:
    """Both at once: the share of the tokens that is recomputed, and the time in ms."""

    share: float
    ms: float


@overload
def mix_ms(tokens: float, share: float, recompute: Recompute, copy: Copy) -> float: ...
@overload
def mix_ms(tokens: float, share: Values, recompute: Recompute, copy: Copy) -> float | Array: ...
def mix_ms(tokens: float, share: Values, recompute: Recompute, copy: Copy) -> float | Array:
    """Time in ms if the first `share` of the tokens is recomputed while the rest is loaded.

    `share` is from 0 to 1, a scalar or a NumPy array. Both start when the request resumes, so
    the copy out must have been in the background: `copy` without `round_trip`, else ValueError.
    """
    slower = np.maximum(*mix_parts_ms(tokens, share, recompute, copy))
    return slower if isinstance(share, np.ndarray) else float(slower)


def mix_parts_ms(
    tokens: float, share: Values, recompute: Recompute, copy: Copy
) -> tuple[Array, Array]:
    """Return the times in ms of both parts of a mix: what is recomputed, and what is loaded.

    The mix takes as long as the slower. Arguments and errors as in `mix_ms`.
    """
    _check(recompute, copy)
    tokens, shares = scalar("tokens", tokens), np.asarray(numbers("share", share))
    if np.any(shares > 1):
        raise ValueError(f"share must be from 0 to 1, not {np.max(shares)}")
    if copy.round_trip:
        raise ValueError("a mix loads while it recomputes: give a copy without round_trip")
    return (
        np.where(shares > 0, recompute._at(shares * tokens), 0.0),
        np.where(shares < 1, copy._at((1 - shares) * tokens), 0.0),
    )


def best_mix(tokens: float, recompute: Recompute, copy: Copy) -> Mix:
    """Return the share to recompute that resumes soonest, and its time; never above either alone.

    With more recomputed the one takes longer and the other less, so the best share is where both
    end together, or all of one. Where both are straight lines through 0, with r and s ms per
    token, it is s / (r + s) and takes n r s / (r + s). Arguments as in `mix_ms`.
    """
    _check(recompute, copy)
    tokens = scalar("tokens", tokens)

    def recompute_lasts(share: float) -> bool:
        return bool(recompute._at(share * tokens) >= copy._at((1 - share) * tokens))

    # The two neighbours around the meeting point; at either end of the range one way is enough.
    meet = _first(recompute_lasts, 0.0, 1.0)
    shares = (meet, math.nextafter(meet, 0.0))
    mixes = [Mix(share, mix_ms(tokens, share, recompute, copy)) for share in shares]
    return min(mixes, key=lambda mix: mix.ms)


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Find where in low..high `holds` turns true, once for all; `high` if it does not."""
    if holds(low):
        return low
    while low < (middle := (low + high) / 2) < high:
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
