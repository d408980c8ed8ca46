"""The closing quiz of notebook 04."""

from preemption.page.questions import Choice, Quiz


def quiz_on_choosing_a_victim() -> Quiz:
    """Ask five questions: on the pool of blocks, on rules and on levers."""
    return Quiz(
        [
            Choice(
                "A request has written 9 tokens and is preempted. What is lost?",
                {
                    "Its answer so far": "The tokens are kept; they are prefilled with the prompt.",
                    "Its cache": "Keys and values have to be computed again, of the prompt and of "
                    "the tokens it has written.",
                    "The cache of its oldest tokens": "That would shorten its context, which "
                    "changes the answer. Here all of the cache goes, and all of it comes back.",
                },
                right="Its cache",
            ),
            Choice(
                "With prefix caching, which of a victim's blocks is overwritten first?",
                {
                    "The first of its prompt": "It goes to the end of the queue last, so it is "
                    "handed out last.",
                    "Its last one": "The tail goes first. What is left is the beginning, and "
                    "only a beginning without a gap is of use.",
                    "Any of them": "The free blocks stand in a queue; its order says which.",
                },
                right="Its last one",
            ),
            Choice(
                "Policy X preempts 120 times, policy Y 90 times, on the same load. Which of them "
                "costs more?",
                {
                    "X": "It preempts more often. But its victims may be small.",
                    "Y": "It preempts less often. But its victims may be large.",
                    "That does not say": "It takes the tokens computed again, or the bytes moved, "
                    "and how long others waited.",
                },
                right="That does not say",
            ),
            Choice(
                "In one run a pool of 44,000 tokens has more preemptions than one of 41,000. What "
                "do you conclude?",
                {
                    "The larger pool is worse": "It need not be: look at the waits, and at other "
                    "loads.",
                    "The simulation is wrong": "Real schedulers do the same: who runs at a "
                    "shortage depends on all that was before.",
                    "Hardly anything": "Who runs at a shortage depends on all that was before. It "
                    "takes many loads, and the range of what they show.",
                },
                right="Hardly anything",
            ),
            Choice(
                "Prefix caching is on. Now you also change the victim rule. What do you expect?",
                {
                    "Twice the gain": "Both save work done twice, and it can be saved only once.",
                    "Hardly any more gain": "In these loads only about 2% of all tokens are "
                    "computed twice then, whoever goes, so the rule matters less.",
                    "A loss": "The largest cache first was a little worse in all 20 loads, the "
                    "smallest a little better in most. None changes much.",
                },
                right="Hardly any more gain",
            ),
        ]
    )
