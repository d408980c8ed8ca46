"""A question on two minutes of load over time."""

from preemption.page.questions import Choice


def who_stands_in_the_line() -> Choice:
    """Ask who makes up the queue while memory is short."""
    return Choice(
        "For two minutes memory is short, and a queue builds up. Who stands in it?",
        {
            "Mostly the evicted": "There are many evictions, but each victim goes to the head of "
            "the queue and is back as soon as there is room.",
            "Mostly those not let in yet": "",
            "Half and half": "An evicted request waits at the head of the queue, a new one at "
            "its end. So the first is soon back.",
        },
        right="Mostly those not let in yet",
        because="Victims return first, so few of them are out at any moment. The shortage of "
        "memory is paid for by those who have not begun.",
    )
