"""An iteration of a server in sentences, for readers who want to follow it."""

from collections.abc import Iterator, Sequence

from preemption.serving import Id, Iteration, Preempted, Scheduled
from preemption.words import count


def in_words(iteration: Iteration) -> str:
    """Return what happens in an iteration, in plain sentences (not escaped for HTML)."""
    return " ".join(_sentences(iteration))


def _sentences(iteration: Iteration) -> Iterator[str]:
    start_ms, duration_ms = iteration.start_ms, iteration.duration_ms
    yield f"Iteration {iteration.number}, at {start_ms:,.1f} ms, takes {duration_ms:.1f} ms."
    yield from _all(iteration.arrived, "arrives", "arrive")
    yield from map(_eviction, iteration.preempted)
    found = {each.id: each.tokens for each in iteration.found}
    for row in iteration.scheduled:
        yield from _turn(row, found.get(row.id, 0))
    decoding = [row.id for row in iteration.scheduled if not row.prefill]
    yield from _all(decoding, "decodes", "decode")
    if not iteration.scheduled:
        yield "Nothing is computed."
    for load in iteration.loads:
        yield f"Request {load.id} loads {count(load.blocks, 'block')} from the host."
    for store in iteration.stores:
        yield f"Request {store.id} stores {count(store.blocks, 'block')} on the host."
    yield from _all(iteration.finished, "finishes", "finish")
    if iteration.overwritten:
        blocks = count(len(iteration.overwritten), "cached block")
        yield f"{blocks} {'is' if len(iteration.overwritten) == 1 else 'are'} overwritten."
    yield f"At its end: {count(iteration.end.free_blocks, 'free block')}."
    waiting = (*iteration.end.loading, *iteration.end.waiting)
    yield from _all(waiting, "waits", "wait") or ["Nobody waits."]


def _eviction(event: Preempted) -> str:
    free = event.blocks_free
    lacks = f"needs {count(event.blocks_needed, 'block')} where "
    lacks += f"{free or 'none'} {'are' if free > 1 else 'is'} free,"
    why = lacks if event.needed_by == event.id else f"makes room for {event.needed_by}"
    fate = "dropped" if event.how == "recompute" else "copied out"
    return (
        f"Request {event.id} {why} and is preempted: {count(event.blocks_freed, 'block')} freed, "
        f"{count(event.computed_tokens, 'cached token')} {fate}."
    )


def _turn(row: Scheduled, found: int) -> Iterator[str]:
    if row.kind != "running":
        does = "is admitted" if row.kind == "new" else "resumes"
        copied = row.computed_tokens - found
        cached = [f"{count(found, 'token')} found in the pool"] if found else []
        cached += [f"{count(copied, 'token')} copied back"] if copied else []
        yield f"Request {row.id} {does}{' with ' if cached else ''}{' and '.join(cached)}."
    if row.prefill:
        yield f"Request {row.id} prefills {count(row.tokens, 'token')}."


def _all(ids: Sequence[Id], does: str, do: str) -> list[str]:
    if not ids:
        return []
    names = ", ".join(map(str, ids))
    return [f"Request {names} {does}." if len(ids) == 1 else f"Requests {names} {do}."]
