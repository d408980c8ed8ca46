"""Questions on a pool of blocks: who goes, and how much of a victim's cache is left."""

from preemption import studies, words
from preemption.page.questions import Choice, NumericGuess, together

FEW, MANY = 5, 50  # iterations of waiting


def who_goes() -> Choice:
    """Ask whom vLLM preempts at the first shortage of the eight requests."""
    frames = studies.SCENES["eight requests"].frames()
    first = next(frame.iteration for frame in frames if frame.iteration.preempted)
    event = first.preempted[0]
    *older, _ = running = [*first.decided.running, event.id]
    return Choice(
        f"In iteration {first.number} the pool is full. Requests {running[0]} to {running[-1]} "
        f"run, the others wait for their first turn. Request {event.needed_by} needs one more "
        "block. Who goes?",
        {
            f"Request {older[0]}": "It was admitted first and has the fewest cached tokens, but "
            "the rule looks at no size.",
            f"Request {older[1]}": "Nothing sets it apart from the others.",
            f"Request {event.id}": "It was admitted last, so it goes, although it is the one that "
            "asks. It has the largest cache, but the rule does not look at that.",
            "One that waits": "Those have no blocks to give.",
            "Nobody": f"Then request {event.id} would have to stand still with its "
            f"{words.count(event.blocks_held, 'block')}, and soon the others too.",
        },
        right=f"Request {event.id}",
    )


def how_much_is_left() -> tuple[NumericGuess, NumericGuess]:
    """Ask how many of a victim's full blocks are left after few and after many iterations."""
    few, many = (_left_after(iterations) for iterations in (FEW, MANY))
    return together(few, many)


def blocks_left(iterations: int) -> int:
    """Return how many of the victim's blocks are left after so many iterations of a long wait."""
    frames = studies.SCENES["a long wait"].frames(caching=True)
    first = next(frame.iteration for frame in frames if frame.iteration.preempted)
    return frames[first.number + iterations].left.count(first.preempted[0].id)


def _left_after(iterations: int) -> NumericGuess:
    frames = studies.SCENES["a long wait"].frames(caching=True)
    event = next(each.iteration for each in frames if each.iteration.preempted).preempted[0]
    return NumericGuess(
        f"Request {event.id} is preempted with {words.count(event.blocks_indexed, 'full block')} "
        "in its cache. Two others write on, a token each per iteration. How many of its full "
        f"blocks can still be found after {iterations} iterations? One other block is free.",
        truth=blocks_left(iterations),
        unit="blocks",
        because="A new block is needed only every 16 tokens, and it comes from the front of the "
        "queue: first the one that was free, then the one that was only partly filled, then the "
        "full ones, from the tail.",
        tolerance=0,
    )
