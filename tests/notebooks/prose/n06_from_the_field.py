"""Numbers in the texts of notebook 06."""

from preemption import words
from preemption.serving import FAULTS, run_fault
from tests.notebooks.prose import Computed, Facts

BROKEN, MENDED = ({name: run_fault(name, broken=b) for name in FAULTS} for b in (True, False))
LATE = max(len(each.preempted) for each in BROKEN["freed late"].log)


def plain(number):
    return words.plain(number)


def tokens(number):
    return words.count(number, "token")


def hole():
    lost = BROKEN["generated lost"]
    return lost.lost_tokens - lost.recomputed_tokens


def watermark():
    """Return the share that the mended engine keeps free, in words."""
    assert FAULTS["no head-room"].mended.config.watermark == 0.25
    return "a quarter"


COMPUTED: Computed = [
    ("It is preempted 24 times", lambda: f"{BROKEN['first chunk'].preemptions} times"),
    ("1,969 tokens are computed again", lambda: tokens(BROKEN["first chunk"].recomputed_tokens)),
    ("After 20 iterations request 0", lambda: f"{BROKEN['never fits'].iterations} iterations"),
    ("has 9 preemptions", lambda: f"{BROKEN['no head-room'].preemptions} preemptions"),
    ("keeps a quarter of the pool free", watermark),
    ("**watermark**: 4 are left", lambda: plain(MENDED["no head-room"].preemptions)),
    ("takes 172 iterations instead", lambda: f"{MENDED['no head-room'].iterations} iterations"),
    ("instead of 155.", lambda: plain(BROKEN["no head-room"].iterations)),
    ("4 of 5 requests", lambda: f"{LATE} of {len(FAULTS['freed late'].requests)} requests"),
    ("again: 81 instead of", lambda: plain(BROKEN["generated lost"].recomputed_tokens)),
    ("the 109 that were lost", lambda: plain(BROKEN["generated lost"].lost_tokens)),
    ("The other 28 are the hole", lambda: plain(hole())),
    ("24 tokens were computed", lambda: tokens(BROKEN["never computed"].lost_tokens)),
    ("28 are found", lambda: plain(BROKEN["never computed"].found_tokens)),
    ("here it holds 16 tokens", lambda: tokens(FAULTS["first chunk"].broken.config.block_size)),
    ("a block holds 4 tokens", lambda: tokens(FAULTS["never computed"].broken.config.block_size)),
    ("a prompt of 200 tokens", lambda: tokens(FAULTS["first chunk"].requests[-1].prompt_tokens)),
    (
        "8 tokens at a time",
        lambda: tokens(FAULTS["never computed"].broken.config.long_prefill_token_threshold),
    ),
]
FACTS: Facts = [
    ("*50 minutes, in two parts.*", "example: counted by a rule, in test_minutes.py"),
    ("way to the end (25 minutes)", "example: counted in the same way"),
    ("Wrong books (25 minutes)", "example: counted in the same way"),
]
