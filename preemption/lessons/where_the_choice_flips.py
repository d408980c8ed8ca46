"""The questions of notebook 03."""

from dataclasses import replace

from preemption import costs, words
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute
from preemption.page.questions import Choice, NumericGuess, Quiz

_A100, _H100 = DEVICES["A100 80 GB SXM"], DEVICES["H100 SXM"]
_LLAMA, _OPT, _QWEN = MODELS["Llama-3-8B"], MODELS["OPT-13B"], MODELS["Qwen3-0.6B"]
_DEEPSEEK = MODELS["DeepSeek-V3"]
_PCIE_4 = LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s
_RECOMPUTE = Recompute.of(_LLAMA, _A100)
_SWAP = Copy(model=_LLAMA, bandwidth_bytes_per_s=_PCIE_4)
_LOAD = replace(_SWAP, round_trip=False)


def where_does_opt_13b_flip() -> NumericGuess:
    """Ask for the bandwidth in GB/s at which the choice flips for OPT-13B on an A100."""
    flip, of_llama = (
        costs.linear_crossover_bandwidth(model, _A100) / 1e9 for model in (_OPT, _LLAMA)
    )
    return NumericGuess(
        f"For Llama-3-8B on an A100 the choice flips at {words.digits(of_llama, 3)} GB/s. OPT-13B "
        f"keeps {words.plain(_OPT.cache_bytes(1))} bytes per token instead of "
        f"{words.plain(_LLAMA.cache_bytes(1))}, and has {_billions(_OPT.parameters)} parameters "
        f"instead of {_billions(_LLAMA.parameters)}. Where does its choice flip?",
        truth=flip,
        unit="GB/s",
        because=f"Its cache is {_times(_OPT.cache_bytes(1) / _LLAMA.cache_bytes(1))} as large, its "
        f"prefill takes {_times((_OPT.parameters or 0) / (_LLAMA.parameters or 1))} as long: the "
        "first moves the flip up, the second down.",
    )


def which_model_needs_the_fastest_link() -> Choice:
    """Ask which of four models needs the fastest link for swapping to win."""
    names = ("Llama-3.1-405B", "OPT-66B", "DeepSeek-V3", "Qwen3-0.6B")
    flips = {
        name: f"{words.digits(costs.linear_crossover_bandwidth(MODELS[name], _A100) / 1e9, 3)}"
        for name in names
    }
    why = {
        "Llama-3.1-405B": "Most parameters, so it recomputes the most slowly",
        "OPT-66B": "Most bytes per token, but many parameters too",
        "DeepSeek-V3": "Its cache is small, and few of its parameters work on each token",
        "Qwen3-0.6B": "Its cache is nearly as large as that of Llama-3-8B, but it has a "
        "thirteenth of the parameters to recompute it with",
    }
    return Choice(
        "All on an A100. Which model needs the fastest link before swapping is the cheaper way?",
        {name: f"{why[name]}: it flips at {flips[name]} GB/s." for name in names},
        right="Qwen3-0.6B",
        because="What counts is bytes of cache per parameter, not the size of the model.",
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


def what_do_smaller_blocks_change() -> Choice:
    """Ask what happens to both times when the blocks get half as large."""
    half = replace(_SWAP, block_tokens=_SWAP.block_tokens // 2)
    swap, more = (words.digits(copy.ms(1_000)) for copy in (_SWAP, half))
    return Choice(
        "A cache is copied block by block, and each copy takes a moment to start. The blocks get "
        "half as large. What changes?",
        {
            "Both ways take longer": "Recomputing computes tokens; it does not care how they are "
            "stored.",
            "Only swapping takes longer": "The bytes are the same, but there are twice as many "
            "copies to start.",
            "Nothing: the bytes are the same": "The bytes are, but not the number of copies, and "
            "each has to be started.",
        },
        right="Only swapping takes longer",
        because=f"1,000 tokens of Llama-3-8B over PCIe 4.0: {swap} ms in blocks of 16 tokens, "
        f"{more} ms in blocks of 8.",
    )


def how_often_can_the_choice_flip() -> Choice:
    """Ask how often the cheaper way can change as the cached tokens grow."""
    return Choice(
        "A forward pass takes a shortest time, however few its tokens, and attention grows with "
        "the square of the tokens. Swapping stays a straight line through 0. How often can the "
        "cheaper way change as the victim grows from 1 token to a million?",
        {
            "Never": "That was so while both ways were straight lines through 0.",
            "At most once": "A straight line can meet a curve that bends upwards a second time.",
            "At most twice": "Short caches suffer from the shortest time, long ones from the "
            "square; in between recomputing may win.",
        },
        right="At most twice",
    )


def which_share_is_best() -> NumericGuess:
    """Ask which share to recompute, in %, so that both parts end together."""
    tokens = 1_000
    recompute_ms, load_ms = _RECOMPUTE.ms(tokens), _LOAD.ms(tokens)
    best = costs.best_mix(tokens, _RECOMPUTE, _LOAD)
    straight = 100 * load_ms / (recompute_ms + load_ms)
    return NumericGuess(
        f"A victim of 1,000 tokens: recomputing all of them takes {words.digits(recompute_ms)} ms, "
        f"loading all of them {words.digits(load_ms)} ms. Both can work at the same time, on "
        "different tokens. Which share should be recomputed?",
        truth=100 * best.share,
        unit="%",
        because=f"Then both parts take {words.digits(best.ms)} ms. Two straight lines through 0 "
        f"would meet at {words.digits(straight, 3)}%; here the fixed part of a forward pass makes "
        "recomputing a little dearer.",
        tolerance=0.15,
        most=100,
    )


def check_your_understanding() -> Quiz:
    """Ask four questions about the whole notebook."""
    on_h100, on_a100 = (
        f"{words.digits(costs.linear_crossover_bandwidth(_LLAMA, device) / 1e9, 3)} GB/s"
        for device in (_H100, _A100)
    )
    first, second = (words.plain(round(n)) for n in costs.crossover_tokens(_RECOMPUTE, _SWAP))
    return Quiz(
        [
            Choice(
                "An H100 computes three times as fast as an A100. The link stays. Which way gains?",
                {
                    "Recompute": f"It takes a third of the time; the flip goes from {on_a100} to "
                    f"{on_h100}.",
                    "Swap": "The bytes and the link are the same as before.",
                    "Neither": "The swap stays as it was, but recomputing became faster.",
                },
                right="Recompute",
            ),
            Choice(
                "The cache is stored in 8 bit instead of 16 bit. What happens to the bandwidth at "
                "which the choice flips?",
                {
                    "It halves": "Half the bytes over the same link take half the time; "
                    "recomputing does the same work as before.",
                    "It doubles": "Fewer bytes make swapping cheaper, so a slower link will do.",
                    "It stays": "It would if prefill got twice as fast too.",
                },
                right="It halves",
            ),
            Choice(
                f"Llama-3-8B on an A100 has crossovers at {first} and {second} tokens. Each block "
                "is now copied in one piece instead of layer by layer. What happens to them?",
                {
                    "They vanish": "Starting copies was most of the swap's time. Without it "
                    "swapping is cheaper at every count.",
                    "They stay": "The number of copies falls by a factor of 64, and the swap's "
                    "cost with it.",
                    "They move apart": "They would if swapping became dearer.",
                },
                right="They vanish",
            ),
            Choice(
                "A request is recomputed in one pass, and 31 others wait meanwhile. What did the "
                "cost of this one event leave out?",
                {
                    "Nothing": "Each of the others lost that time as well.",
                    "That the others stood still": "Their memory was held, and no token of theirs "
                    "was written.",
                    "That their caches were lost": "They stay where they are; only time is lost.",
                },
                right="That the others stood still",
            ),
        ]
    )


def _billions(parameters: float | None) -> str:
    return f"{words.digits((parameters or 0) / 1e9, 3)} billion"


def _times(factor: float) -> str:
    return f"{words.digits(factor, 3)} times"
