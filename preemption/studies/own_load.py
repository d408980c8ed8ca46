"""A server of a reader in the model: its iteration times, its link, and what could be changed."""

from collections.abc import Mapping
from itertools import accumulate, groupby
from statistics import fmean

from preemption.checks import instance
from preemption.costs import (
    BLOCK_TOKENS,
    PER_TOKEN_BYTES,
    Device,
    Link,
    Model,
    devices_for_weights,
    profile_of,
)
from preemption.serving import DEFAULT_COST, IterationCost, quantiles
from preemption.studies.pressure import (
    LEVERS,
    Lever,
    Means,
    Server,
    copy_start_us,
    server,
    two_minutes,
)
from preemption.studies.published import derived_cost

_DEFAULT_PROFILE = "Llama-3-8B on A100"


def iteration_cost(model: Model, device: Device) -> IterationCost:
    """Return the time of an iteration of a model on a device, or on as many as hold its weights.

    Where a profile of the pair was measured its points count, in the mean where a number of
    tokens was measured twice, and never below one of fewer tokens; caches are read at the peak
    of the memory. Else all is derived (`derived_cost`). Raises ValueError if the parameters of
    the model are needed and not known, TypeError for a wrong type.
    """
    profile = profile_of(model, device)
    if profile is None:
        return derived_cost(model, device, devices_for_weights(model, device))
    if profile.name == _DEFAULT_PROFILE:
        return DEFAULT_COST
    measured = [
        (tokens, fmean(ms for _, ms in points))
        for tokens, points in groupby(sorted(profile.points), key=lambda point: point[0])
    ]
    rising = accumulate((ms for _, ms in measured), max)
    return IterationCost(
        tuple((tokens, ms) for (tokens, _), ms in zip(measured, rising, strict=True)),
        float(model.cache_bytes(1)) / (device.memory_gb_per_s * 1e6),
    )


def own_server(model: Model, device: Device, link: Link, pool_tokens: int) -> Server:
    """Return vLLM's scheduler with this pool and the times of this machine; caching is off.

    A copy over the link takes as long as the caches of this model do; if several devices are
    needed for its weights, each copies its part. Raises what `iteration_cost` raises.
    """
    instance("link", link, Link)
    size = float(model.cache_bytes(1)) / PER_TOKEN_BYTES
    devices = devices_for_weights(model, device)
    return server(
        pool_tokens,
        cost=iteration_cost(model, device),
        link_gb_per_s=link.bandwidth_bytes_per_s / 1e9 * devices / size,
    )


def longest_tokens(means: Means) -> int:
    """Return about how many tokens a request of a load of these mean lengths has at most."""
    table = quantiles("conversation")
    return sum(
        round(1 + (max(table[name]) - 1) * (mean - 1) / (table[f"{name}_mean"] - 1))
        for name, mean in zip(("prompt", "output"), means, strict=True)
    )


def own_levers(means: Means, model: Model) -> Mapping[str, Lever]:
    """Return `LEVERS` for a load of these mean lengths, served by this model.

    Fewer at a time are as many as the pool holds of requests of average length that are in the
    middle of their answer, at least one. The host of offloading has room for all prompts, twice
    over, whatever the size of their caches.
    """
    average = means.prompt_tokens + means.output_tokens / 2

    def fewer(base: Server) -> Server:
        pool_tokens = base.config.usable_blocks * BLOCK_TOKENS
        most = min(base.config.max_num_seqs, int(pool_tokens / average))
        return base.given(max_num_seqs=max(1, most))

    def offloading(base: Server) -> Server:
        prompts_tokens = len(two_minutes(0, 1.0)) * means.prompt_tokens
        return base.given(host_blocks=int(2 * prompts_tokens / BLOCK_TOKENS) + 1)

    def by_layer(base: Server) -> Server:
        return base.given(resume="swap", copy_start_us=copy_start_us(model))

    return LEVERS | {
        "swap layer by layer": by_layer,
        "fewer at a time": fewer,
        "offloading": offloading,
    }
