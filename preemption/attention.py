"""A small causal attention with a KV cache: chunks and evictions change when, not what.

One layer in float64, without a position code: enough to see that each token attends to all
tokens before it, whether their keys and values were computed in the same pass or are cached.
Source of the formula: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preemption.checks import Array


@dataclass(frozen=True, eq=False)
class KVCache:
    """Keys and values of the tokens so far, each of shape (heads, tokens, width / heads)."""

    keys: Array
    values: Array

    @property
    def tokens(self) -> int:
        """Number of cached tokens."""
        return int(self.keys.shape[1])


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights of one attention layer, each of shape (width, width), and its number of heads."""

    query: Array
    key: Array
    value: Array
    output: Array
    heads: int


def random_layer(width: int = 32, heads: int = 4, seed: int = 0) -> Layer:
    """Return a layer with normal random weights of variance 1 / width.

    `width` is the length of a token's vector. Raises ValueError unless `heads` divides it.
    """
    if heads < 1 or width < 1 or width % heads:
        raise ValueError(f"heads must divide the width, not {heads} for a width of {width}")
    draw = np.random.default_rng(seed).normal
    query, key, value, output = draw(0, width**-0.5, (4, width, width))
    return Layer(query, key, value, output, heads)


def attend(queries: Array, keys: Array, values: Array) -> Array:
    """Causal scaled dot-product attention of the last tokens of a sequence to all of it.

    `queries` has the shape (heads, n, head_dim), `keys` and `values` (heads, t, head_dim) with
    t >= n: the queries are those of the last n of t tokens. The result is shaped like
    `queries`. Raises ValueError if there are more queries than keys. Formula:
    softmax(q k^T / sqrt(head_dim)) v, over the tokens up to the query's own.
    """
    new, total = queries.shape[1], keys.shape[1]
    if new > total:
        raise ValueError(f"{new} queries need at least as many keys, not {total}")
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(queries.shape[2])
    later = np.triu(np.ones((new, total), dtype=bool), k=total - new + 1)
    scores = np.where(later, -np.inf, scores)
    weights: Array = np.exp(scores - scores.max(axis=2, keepdims=True))
    mixed: Array = weights / weights.sum(axis=2, keepdims=True) @ values
    return mixed


def forward(layer: Layer, tokens: Array, cache: KVCache | None = None) -> tuple[Array, KVCache]:
    """Compute the next tokens of a sequence in one pass; return their outputs and the new cache.

    `tokens` and the outputs have the shape (tokens, width). `cache` holds the tokens before
    these; None means that there are none. It is not changed. Raises ValueError for tokens of
    another shape or a cache of another layer's shape.
    """
    width = len(layer.query)
    if tokens.ndim != 2 or tokens.shape[1] != width or not len(tokens):
        raise ValueError(f"tokens must have the shape (1 or more, {width}), not {tokens.shape}")
    queries, keys, values = (
        (tokens @ weight).reshape(len(tokens), layer.heads, -1).swapaxes(0, 1)
        for weight in (layer.query, layer.key, layer.value)
    )
    if cache is not None:
        keys = np.concatenate([cache.keys, keys], axis=1)
        values = np.concatenate([cache.values, values], axis=1)
    heads = attend(queries, keys, values)
    return heads.swapaxes(0, 1).reshape(tokens.shape) @ layer.output, KVCache(keys, values)


def equal_chunks(tokens: int, chunk_tokens: int) -> list[int]:
    """Sizes of the chunks of a prompt of `tokens` tokens: all `chunk_tokens`, then the rest.

    Raises ValueError unless both are 1 or more.
    """
    if tokens < 1 or chunk_tokens < 1:
        raise ValueError(f"tokens and chunk_tokens must be above 0, not {tokens}, {chunk_tokens}")
    return [min(chunk_tokens, tokens - start) for start in range(0, tokens, chunk_tokens)]


def prefill(layer: Layer, tokens: Array, chunks: Sequence[int]) -> tuple[Array, KVCache]:
    """Compute a prompt chunk by chunk, each on top of the cache of those before it.

    `chunks` are the sizes in tokens, in order: `[len(tokens)]` is a prefill in one pass,
    `[1] * len(tokens)` one token at a time. Returns outputs and cache as `forward` does.
    Raises ValueError unless the sizes are 1 or more and add up to the tokens.
    """
    cache = None
    outputs = []
    for chunk in _split(tokens, chunks):
        chunk_outputs, cache = forward(layer, chunk, cache)
        outputs.append(chunk_outputs)
    assert cache is not None
    return np.concatenate(outputs), cache


def prefill_chunks_apart(layer: Layer, tokens: Array, chunks: Sequence[int]) -> Array:
    """Compute a **wrong** chunked prefill: each token attends only within its own chunk.

    Arguments, outputs and errors are those of `prefill`. It shows what chunked prefill is not.
    """
    return np.concatenate([forward(layer, chunk)[0] for chunk in _split(tokens, chunks)])


def attended(chunks: Sequence[int]) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Pairs (query, key) of tokens that attend, in a prompt computed in these `chunks`.

    First those within a chunk, then those whose key comes from the cache; each of shape
    (pairs, 2), in order, tokens counted from 0. Raises ValueError for a size below 1.
    """
    if not chunks or min(chunks) < 1:
        raise ValueError(f"chunks must be above 0, not {chunks!r}")
    chunk = np.repeat(np.arange(len(chunks)), chunks)
    same, earlier = chunk[:, None] == chunk, chunk[:, None] > chunk
    return np.argwhere(np.tril(same)), np.argwhere(earlier)


def largest_differences(outputs: Array, others: Array) -> Array:
    """Return each token's largest difference between two outputs of shape (tokens, width)."""
    differences: Array = np.abs(outputs - others).max(axis=1)
    return differences


def generate(
    layer: Layer, prompt: Array, steps: int, evict_at: int | None = None
) -> tuple[Array, KVCache]:
    """Prefill a prompt, generate `steps` tokens one by one; return all tokens and their cache.

    A new token is the last output, scaled to a mean square of 1. `evict_at` is the step (0 to
    `steps` - 1) before which the cache is dropped: prompt and generated tokens are then
    prefilled together again, as vLLM resumes a preempted request. `prompt` and the tokens
    have the shape (tokens, width). Raises ValueError for negative steps or a step out of range.
    """
    if steps < 0:
        raise ValueError(f"steps must be 0 or more, not {steps}")
    if evict_at is not None and not 0 <= evict_at < steps:
        raise ValueError(f"evict_at must be one of {steps} steps from 0 on, not {evict_at}")
    tokens = prompt
    outputs, cache = forward(layer, prompt)
    for step in range(steps):
        token = outputs[-1:] / np.sqrt(np.mean(outputs[-1] ** 2))
        tokens = np.concatenate([tokens, token])
        if step == evict_at:
            outputs, cache = forward(layer, tokens)
        else:
            outputs, cache = forward(layer, token, cache)
    return tokens, cache


def _split(tokens: Array, chunks: Sequence[int]) -> list[Array]:
    if not chunks or min(chunks) < 1 or sum(chunks) != len(tokens):
        raise ValueError(f"chunks must be above 0 and add up to {len(tokens)}, not {chunks!r}")
    return np.split(tokens, np.cumsum(chunks)[:-1])
