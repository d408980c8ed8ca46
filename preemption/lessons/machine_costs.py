"""Questions on what an eviction costs on a real machine, and the machine that they are about."""

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.page.questions import Choice, NumericGuess

A100, LLAMA = DEVICES["A100 80 GB SXM"], MODELS["Llama-3-8B"]
RECOMPUTE = Recompute.of(LLAMA, A100)
SWAP = Copy(model=LLAMA, bandwidth_bytes_per_s=LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s)
_OPT, _DEEPSEEK = MODELS["OPT-13B"], MODELS["DeepSeek-V3"]


def where_is_the_crossover_of_opt_13b() -> NumericGuess:
    """Ask for the bandwidth in GB/s at which the choice flips for OPT-13B on an A100."""
    flip, of_llama = (
        costs.linear_crossover_bandwidth(model, A100) / 1e9 for model in (_OPT, LLAMA)
    )
    return NumericGuess(
        f"For Llama-3-8B on an A100 the choice flips at {words.digits(of_llama, 3)} GB/s. OPT-13B "
        f"keeps {words.plain(_OPT.cache_bytes(1))} bytes per token instead of "
        f"{words.plain(LLAMA.cache_bytes(1))}, and has {_billions(_OPT.parameters)} parameters "
        f"instead of {_billions(LLAMA.parameters)}. Where does its choice flip?",
        truth=flip,
        unit="GB/s",
        because=f"Its cache is {_times(_OPT.cache_bytes(1) / LLAMA.cache_bytes(1))} as large, its "
        f"prefill takes {_times((_OPT.parameters or 0) / (LLAMA.parameters or 1))} as long: the "
        "first moves the flip up, the second down.",
    )


def for_which_model_is_the_formula_wrong() -> Choice:
    """Ask for which of three models the plain formula of cache bytes is wrong."""
    plain = _DEEPSEEK.heads * (_DEEPSEEK.head_dim + _DEEPSEEK.value_size) * _DEEPSEEK.layers * 2
    return Choice(
        "Bytes per token = 2 (K and V) × layers × KV heads × head size × bytes per number. For "
        "which of these models is that wrong?",
        {
            "Llama-3.1-405B": "It is large, but an ordinary model of grouped heads: the formula "
            "holds.",
            "Qwen2.5-0.5B": "Only two KV heads, but each keeps a key and a value: the formula "
            "holds.",
            "DeepSeek-V3": "It keeps one short latent vector per token and layer for all of its "
            f"heads, {words.plain(_DEEPSEEK.cache_bytes(1))} bytes per token instead of "
            f"{words.plain(plain)}.",
        },
        right="DeepSeek-V3",
    )


def how_often_can_the_choice_flip() -> Choice:
    """Ask how often the cheaper way can change as the cached tokens grow."""
    return Choice(
        "How often can the cheaper way change as the victim grows from 1 token to a million?",
        {
            "Never": "Two straight lines through 0 never cross, but recomputing is no longer one.",
            "At most once": "A straight line can meet a curve that bends upwards a second time.",
            "At most twice": "For short caches the floor makes recomputing dear, for long ones "
            "the square does; in between recomputing may win.",
        },
        right="At most twice",
    )


def _billions(parameters: float | None) -> str:
    return f"{words.digits((parameters or 0) / 1e9, 3)} billion"


def _times(factor: float) -> str:
    return f"{words.digits(factor, 3)} times"
