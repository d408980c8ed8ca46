"""Serve requests and return what happened: quickly where that is possible, or plainly."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from preemption.checks import instance, shown
from preemption.serving.asynchronous import AsyncScheduler
from preemption.serving.fast import FastRun, NotCoveredError, covers
from preemption.serving.fast_offload import FastOffloadingRun
from preemption.serving.offload import Copier, Link, OffloadingScheduler
from preemption.serving.results import Result
from preemption.serving.run import Run
from preemption.serving.scheduler import Scheduler
from preemption.serving.settings import DEFAULT_RUN, RunSettings, SchedulerConfig
from preemption.serving.workload import Request


def simulate(
    requests: Iterable[Request], config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN
) -> Result:
    """Serve `requests` (in the order of arrival) with vLLM's scheduler and return what happened.

    The result is that of `simulate_plain`, to the last digit, in a fraction of its time. Taken
    plainly are a `long_prefill_token_threshold` above 0; prefix caching with common prefixes,
    with swapping or with a log; asynchronous scheduling; offloading with common prefixes, with a
    log, by priority, of generated blocks or on a host without room for all prompts; and `log=True`,
    which has to write every iteration down. With a range as `log` only these iterations are taken
    plainly.

    Raises ValueError for a request that can never fit, ids that come twice or arrivals out of
    order; TypeError for a wrong type.
    """
    requests = checked(requests, config, settings)
    if covers(requests, config, settings):
        with suppress(NotCoveredError):
            return _fast(requests, config, settings).result()
    return simulate_plain(requests, config, settings)


def simulate_plain(
    requests: Iterable[Request], config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN
) -> Result:
    """Do what `simulate` does, one iteration after another, whatever the settings."""
    requests = checked(requests, config, settings)
    run = Run(scheduler_for(config, settings), requests)
    while run.step():
        pass
    return run.result()


def simulate_pools(
    requests: Iterable[Request],
    config: SchedulerConfig,
    num_gpu_blocks: Sequence[int],
    settings: RunSettings = DEFAULT_RUN,
) -> tuple[Result, ...]:
    """Return what `simulate` returns with a pool of each of these sizes instead of `config`'s.

    The sizes must increase. All runs share their history up to the first shortage of blocks, and
    one that knows no shortage answers for all larger pools; so this takes less time than as many
    runs. Raises what `simulate` raises, ValueError for sizes that do not increase, or for a run
    with a log.
    """
    _check_types(config, settings)
    instance("num_gpu_blocks", num_gpu_blocks, Sequence)
    configs = [replace(config, num_gpu_blocks=blocks) for blocks in num_gpu_blocks]
    if any(large <= small for small, large in itertools.pairwise(num_gpu_blocks)):
        raise ValueError(f"num_gpu_blocks must increase, not {shown(num_gpu_blocks)}")
    if settings.log is not False:
        raise ValueError(f"the runs of many pools keep no log, not {shown(settings.log)}")
    if not configs:
        return ()
    requests = checked(requests, configs[0], settings)
    if not covers(requests, config, settings):
        return tuple(simulate_plain(requests, each, settings) for each in configs)
    results: list[Result] = []
    roomy = _fast(requests, configs[0], settings)
    for each in configs:
        roomy = roomy.widened(each)
        if roomy.advance(while_roomy=True):
            return (*results, *[roomy.result()] * (len(configs) - len(results)))
        try:
            results.append(roomy.widened(each).result())
        except NotCoveredError:
            results.append(simulate_plain(requests, each, settings))
    return tuple(results)


def _fast(requests: Sequence[Request], config: SchedulerConfig, settings: RunSettings) -> FastRun:
    return (FastOffloadingRun if config.host_blocks else FastRun)(requests, config, settings)


def scheduler_for(
    config: SchedulerConfig, settings: RunSettings = DEFAULT_RUN, copier: Copier | None = None
) -> Scheduler:
    """Return the readable scheduler, in the variation that the settings ask for.

    `copier` tells how long copies to and from the host take; by default as the link allows.
    """
    if config.host_blocks:
        return OffloadingScheduler(
            config, settings, copier=copier or Link(settings.link_ns(config.block_size))
        )
    return (AsyncScheduler if config.async_scheduling else Scheduler)(config, settings)


def checked(
    requests: Iterable[Request], config: SchedulerConfig, settings: RunSettings
) -> tuple[Request, ...]:
    """Return the requests; refuse what cannot be served, with an error that says which and why."""
    _check_types(config, settings)
    instance("requests", requests, Iterable)
    requests = tuple(requests)
    for request in requests:
        instance("each of requests", request, Request)
    for before, after in itertools.pairwise(requests):
        if after.arrival_ms < before.arrival_ms:
            raise ValueError(
                f"requests must be in the order of arrival: request {after.id!r} arrives at "
                f"{after.arrival_ms} ms, after {before.id!r} at {before.arrival_ms} ms"
            )
    ids = [request.id for request in requests]
    if len(set(ids)) < len(ids):
        raise ValueError(f"id {Counter(ids).most_common(1)[0][0]!r} comes twice")
    _check_sizes(requests, config)
    return requests


def _check_types(config: SchedulerConfig, settings: RunSettings) -> None:
    instance("config", config, SchedulerConfig)
    instance("settings", settings, RunSettings)
    if config.host_blocks and settings.resume != "recompute":
        raise ValueError(
            f"resume {settings.resume!r} does not go with host_blocks ({config.host_blocks}): "
            "with offloading, victims come back from the host where they can"
        )


def _check_sizes(requests: Sequence[Request], config: SchedulerConfig) -> None:
    # The last generated token needs no cache.
    limits = [(config.usable_blocks * config.block_size + 1, "the pool")]
    if config.max_model_len is not None:
        limits.append((config.max_model_len, "max_model_len"))
    if not config.enable_chunked_prefill:
        limits.append((config.max_num_batched_tokens + 1, "max_num_batched_tokens, unchunked,"))
    most, limit = min(limits)
    sizes = [request.prompt_tokens + request.output_tokens for request in requests]
    if sizes and max(sizes) > most:
        request = requests[sizes.index(max(sizes))]
        raise ValueError(
            f"request {request.id!r} can never fit: prompt + output are {max(sizes)} tokens, "
            f"and {limit} allows {most}"
        )
