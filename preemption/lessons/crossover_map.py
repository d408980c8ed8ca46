"""Questions on the map of models and links."""

from preemption import costs, words
from preemption.costs import MODELS
from preemption.lessons.machine_costs import A100
from preemption.page.questions import Choice


def which_model_needs_the_fastest_link() -> Choice:
    """Ask which of four models needs the fastest link for swapping to win."""
    names = ("Llama-3.1-405B", "OPT-66B", "DeepSeek-V3", "Qwen3-0.6B")
    flips = {
        name: f"{words.digits(costs.linear_crossover_bandwidth(MODELS[name], A100) / 1e9, 3)}"
        for name in names
    }
    why = {
        "Llama-3.1-405B": "The most parameters that work on a token, so it recomputes the "
        "most slowly",
        "OPT-66B": "Most bytes per token, but many parameters too",
        "DeepSeek-V3": "Its cache is small, and few of its parameters work on each token",
        "Qwen3-0.6B": "Its cache is nearly as large as that of Llama-3-8B, but it has a "
        "thirteenth of the parameters to recompute it with",
    }
    return Choice(
        "All on an A100. Which model needs the fastest link before swapping is the cheaper way?",
        {name: f"{why[name]}: it flips at {flips[name]} GB/s." for name in names},
        right="Qwen3-0.6B",
        because="What counts is bytes of cache per parameter that works on a token, not the size "
        "of the model.",
    )
