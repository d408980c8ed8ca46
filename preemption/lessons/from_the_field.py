"""The closing quiz of notebook 06."""

from preemption.page.questions import Choice, Quiz


def quiz_on_the_field() -> Quiz:
    """Ask four questions about the whole notebook."""
    return Quiz(
        [
            Choice(
                "The gauges of a server say 0 running and 3 waiting, for minutes. Which of these "
                "fits?",
                {
                    "The cliff": "On the cliff many run, and the cache is full.",
                    "A request that can never fit": "It stands at the head of the queue, and "
                    "nobody may overtake it.",
                    "No head-room at admission": "Then requests run, and are preempted.",
                },
                right="A request that can never fit",
            ),
            Choice(
                "The counter of preemptions rises by hundreds per minute. How much harm is done?",
                {
                    "A lot, by any measure": "It depends on how many tokens each victim loses, "
                    "and how many of them are found again.",
                    "None, since nothing is lost": "Work is done twice, and the victims wait.",
                    "The counter alone does not say": "Tokens computed again, or bytes moved, and "
                    "the waits do.",
                },
                right="The counter alone does not say",
            ),
            Choice(
                "One request is preempted again and again; the others run well. Which knob first?",
                {
                    "Admit only what fits as a whole": "In vLLM that is its default, "
                    "`scheduler_reserve_full_isl`: see whether it is off, or the version older. If "
                    "it is on, look for head-room.",
                    "More requests at a time": "Then there is less room for it.",
                    "Priorities": "Then it gets through by throwing others out: the preemptions "
                    "change hands, they do not end.",
                },
                right="Admit only what fits as a whole",
            ),
            Choice(
                "What does head-room at admission cost?",
                {
                    "Nothing": "What is kept free lets nobody in.",
                    "The newcomers' time to first token": "They wait in the queue instead of "
                    "being let in and thrown out.",
                    "The running ones' time per token": "They are the ones who gain.",
                },
                right="The newcomers' time to first token",
            ),
        ]
    )
