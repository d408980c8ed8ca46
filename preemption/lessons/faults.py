"""Questions on faults of real engines, with their replies: how the log of each goes on."""

from collections.abc import Callable

from preemption import words
from preemption.page.questions import Choice
from preemption.serving import FAULTS, Result, run_fault


def what_will_this_log_do_next(fault: str) -> Choice:
    """Ask how the run of a broken engine goes on; `fault` is a name of `serving.FAULTS`.

    Raises ValueError for an unknown name.
    """
    run = run_fault(fault, broken=True)  # refuses an unknown name
    return _ASKED[fault](run)


def _first_chunk(run: Result) -> Choice:
    return Choice(
        "Requests 0 and 1 have more than fifty tokens each still to generate. Request long has "
        "been thrown out and let in again. What will this log do next?",
        {
            "Request long gets through after some more attempts": "An attempt leaves nothing "
            "behind. Each begins with the first token, and the free room does not grow.",
            "It goes on like this until the others are done": "Each time the first chunk fits, "
            "and the whole prompt does not.",
            "Request 0 or 1 is thrown out for it": "The last admitted is the victim, and that is "
            "always request long itself.",
        },
        right="It goes on like this until the others are done",
        because=f"It is preempted {words.count(run.preemptions, 'time')}, and "
        f"{words.count(run.recomputed_tokens, 'token')} are computed again. Newcomers would "
        "queue behind it. With long answers before it, this can last for minutes.",
    )


def _huge_request(run: Result) -> Choice:
    prompt = next(each.prompt_tokens for each in run.requests if each.id == "huge")
    return Choice(
        f"Request huge has a prompt of {prompt} tokens, the pool has room for 256. Request 0 will "
        "end soon. What will this log do next?",
        {
            "Request 2 overtakes, since it fits": "The queue is served in order. Its head waits, "
            "so all behind it wait.",
            "Request huge is let in as soon as request 0 ends": "Even the empty pool is too small "
            "for it.",
            "Nobody will run any more": "The head of the queue never fits, and nobody overtakes.",
        },
        right="Nobody will run any more",
        because=f"After {words.count(run.iterations, 'iteration')} the server is idle, with two "
        "requests in its queue. It will be tomorrow, too.",
    )


def _victim_returns(run: Result) -> Choice:
    event = run.log[19].preempted[0]
    prompt, generated = 30, event.tokens - 30
    rows = (row for each in run.log for row in each.scheduled)
    back = next(row.tokens for row in rows if row.id == event.id and row.kind == "resumed")
    assert back == prompt
    return Choice(
        f"Request 4 has a prompt of {prompt} tokens and has generated {generated}. Users of this "
        "engine complain about some of their answers. What will the log say when request 4 comes "
        "back?",
        {
            f"It prefills {prompt} tokens": "Its prompt alone: what it had generated is forgotten.",
            f"It prefills {event.tokens} tokens": "So it should be. Then the model sees all that "
            "it has said.",
            "It goes on decoding": "Its cache is gone. It has to be computed first.",
        },
        right=f"It prefills {prompt} tokens",
        because=f"The {generated} generated tokens were sent to the user, but the model no longer "
        "sees them. In the middle of the answer it begins anew, and it stops too early.",
    )


def _urgent_request(_run: Result) -> Choice:
    right = "Request 0 is preempted, and computed all the same"
    return Choice(
        "Request 1 is the more urgent one, but request 0 has its turn first. No block is free, "
        "and request 1 needs one. What will this log do next?",
        {
            "Request 0 is preempted and not computed": "So it should be.",
            right: "It had its turn already, and nobody takes that back.",
            "Request 1 is preempted": "Under priorities the least urgent one goes.",
        },
        right=right,
        because="The GPU is then asked to write into blocks that are no longer request 0's. Real "
        "engines notice that something is wrong and stop: the server crashes.",
    )


def _freed_late(run: Result) -> Choice:
    victims = len(run.log[19].preempted)
    return Choice(
        "Five requests run and one block is free. Requests 0 and 1 both need one now. In this "
        "engine freed blocks can be used only in the next iteration. How many requests will be "
        "preempted in this one?",
        {
            "1": "So it would be if its blocks were there at once.",
            "2": "The second victim's blocks are not there either. Why should it stop at two?",
            f"{victims}": "Each victim frees blocks, none of them at once. So the next one goes.",
        },
        right=f"{victims}",
        because="At last request 1, who asked for the block, is its own victim. Only request 0 "
        f"runs. In the whole run it is {run.preemptions} preemptions instead of "
        f"{run_fault('freed late', broken=False).preemptions}.",
    )


def _newcomers(run: Result) -> Choice:
    mended = run_fault("newcomers", broken=False)
    return Choice(
        "Seven requests run and one block is free. What will this log do next?",
        {
            "A request that was just let in is thrown out": "The running ones need blocks for "
            "their next tokens, and the last admitted goes.",
            "Nothing: a free block is enough": "For one request. Seven are writing, and each "
            "needs a new block every 16 tokens.",
            "The oldest is thrown out": "The last admitted goes, so that the oldest ends.",
        },
        right="A request that was just let in is thrown out",
        because=f"Its whole prompt was computed for nothing. In this run {run.preemptions} "
        "preemptions; with a quarter of the pool kept free at admission, "
        f"{mended.preemptions}.",
    )


def _cached_victim(run: Result) -> Choice:
    mended = run_fault("cached victim", broken=False)
    return Choice(
        "Blocks hold 4 tokens here, and what a victim leaves in them can be found again. Request "
        f"0 had {run.lost_tokens} tokens computed when it was preempted. How many does it find "
        "when it comes back?",
        {
            "0": "Its blocks are free, but hardly anybody has written into them.",
            f"{mended.found_tokens}": "As many as were computed. So it should be.",
            f"{run.found_tokens}": "More than were ever computed.",
        },
        right=f"{run.found_tokens}",
        because="A block was entered into the cache's index when it was planned. Then its request "
        "lost its turn, and nobody took the entry back. vLLM 0.33.0 does this, as a recorded run "
        "shows, if priorities and prefix caching are on.",
    )


_ASKED: dict[str, Callable[[Result], Choice]] = dict(
    zip(
        FAULTS,
        (
            *(_first_chunk, _huge_request, _victim_returns, _urgent_request),
            *(_freed_late, _newcomers, _cached_victim),
        ),
        strict=True,
    )
)
