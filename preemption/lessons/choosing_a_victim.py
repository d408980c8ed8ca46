"""The closing quiz of notebook 04."""

from preemption.page.questions import Choice, Quiz


def quiz_on_victims_and_levers() -> Quiz:
    """Ask four questions about the whole notebook."""
    return Quiz(
        [
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
                "A request arrives while the pool is full. By vLLM's default rule, whom does it "
                "evict?",
                {
                    "The last admitted": "That is who goes when a *running* request needs a block.",
                    "Nobody": "It waits. Only a running request that needs its next block makes "
                    "another one go.",
                    "The smallest": "Neither the size nor a newcomer counts there.",
                },
                right="Nobody",
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
                    "Hardly any more gain": "Most of what a victim loses is found again, so who "
                    "goes matters less.",
                    "A loss": "The rules differ little then, but none of them does harm.",
                },
                right="Hardly any more gain",
            ),
        ]
    )
