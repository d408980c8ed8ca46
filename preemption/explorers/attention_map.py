"""Attention in chunks: who attends to whom, and that the numbers stay the same."""

import numpy as np

from preemption import attention, words
from preemption.figures.attention_map import AttentionInChunks, AttentionMap
from preemption.page import html
from preemption.page.controls import Whole
from preemption.page.explorer import Explorer, Words

_PROMPT_TOKENS, _EQUAL = 16, 1e-12


class AttentionExplorer(Explorer[AttentionInChunks]):
    """Set the size of the chunks; see who attends to whom, and that the numbers stay the same.

    `chunk` is 1 to 16 tokens of a prompt of 16, in a layer with random weights.
    """

    chunk = Whole(
        "chunk size (tokens)",
        default=5,
        low=1,
        high=_PROMPT_TOKENS,
        places=range(1, _PROMPT_TOKENS + 1),
    )

    def __init__(self) -> None:
        self._layer = attention.random_layer()
        width = len(self._layer.query)
        self._prompt = np.random.default_rng(1).normal(size=(_PROMPT_TOKENS, width))
        self._outputs, self._cache = attention.forward(self._layer, self._prompt)
        alone = attention.prefill_chunks_apart(self._layer, self._prompt, [1] * _PROMPT_TOKENS)
        largest = np.max(attention.largest_differences(alone, self._outputs))
        super().__init__(AttentionMap(_PROMPT_TOKENS, float(largest)), [type(self).chunk])

    def _ask(self) -> AttentionInChunks:
        chunks = attention.equal_chunks(_PROMPT_TOKENS, self.chunk)
        outputs, cache = attention.prefill(self._layer, self._prompt, chunks)
        alone = attention.prefill_chunks_apart(self._layer, self._prompt, chunks)
        computed, cached = attention.attended(chunks)
        wrong = attention.largest_differences(alone, self._outputs)
        return AttentionInChunks(
            chunks=chunks,
            computed=computed,
            cached=cached,
            right=attention.largest_differences(outputs, self._outputs),
            wrong=wrong,
            same=all(
                np.abs(ours - theirs).max() < _EQUAL
                for ours, theirs in (
                    (outputs, self._outputs),
                    (cache.keys, self._cache.keys),
                    (cache.values, self._cache.values),
                )
            ),
            changed=int((wrong > _EQUAL).sum()),
            outputs={
                "in one pass": self._outputs[-1],
                "in chunks, with the cache": outputs[-1],
                "each chunk alone (wrong)": alone[-1],
            },
        )

    def _say(self, answer: AttentionInChunks) -> Words:
        by_up_to = f", by up to {words.digits(float(np.max(answer.wrong)), 3)}"
        verdict = (
            f"{words.count(len(answer.chunks), 'chunk')} of up to "
            f"{words.count(answer.chunks[0], 'token')}: outputs "
            f"and cache are {'equal to' if answer.same else 'other than'} those of one pass, to 12 "
            f"decimals. With each chunk alone {answer.changed} of {_PROMPT_TOKENS} outputs change"
            f"{by_up_to if answer.changed else ''}."
        )
        return Words(
            verdict=verdict,
            alternative=f"Left, who attends to whom: each token to itself and to all before it, in "
            f"its own chunk or from the cache. Right, how far outputs are off. {verdict}",
            table=html.table(
                ["output of the last token", "its first four numbers"],
                [
                    [name, ", ".join(f"{number:.4f}" for number in output[:4])]
                    for name, output in answer.outputs.items()
                ],
                numbers=[1],
            ),
        )
