"""Causal attention: whole, chunked, token by token and after an eviction, the same numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption.attention import (
    Layer,
    attend,
    attended,
    equal_chunks,
    forward,
    generate,
    largest_differences,
    prefill,
    prefill_chunks_apart,
    random_layer,
)

TOKENS = 24
LAYER = random_layer(seed=1)
PROMPT = np.random.default_rng(2).normal(size=(TOKENS, 32))
CHUNKINGS = [equal_chunks(TOKENS, size) for size in (1, 2, 5, 7, 16, 23)]


def same(a, b):
    return np.abs(a - b).max() <= 1e-12


def same_cache(a, b):
    return a.tokens == b.tokens and same(a.keys, b.keys) and same(a.values, b.values)


@st.composite
def chunkings(draw):
    cuts = sorted(draw(st.sets(st.integers(1, TOKENS - 1))))
    return np.diff([0, *cuts, TOKENS]).tolist()


def by_hand(layer: Layer, tokens: np.ndarray) -> np.ndarray:
    """The definition, one token and one head at a time, with plain floats."""
    width = tokens.shape[1]
    size = width // layer.heads
    queries, keys, values = (tokens @ weight for weight in (layer.query, layer.key, layer.value))
    mixed = np.zeros_like(tokens)
    for token in range(len(tokens)):
        for head in range(layer.heads):
            part = slice(head * size, (head + 1) * size)
            scores = [
                math.fsum(queries[token, part] * keys[other, part]) / math.sqrt(size)
                for other in range(token + 1)
            ]
            weights = [math.exp(score) for score in scores]
            for other, weight in enumerate(weights):
                mixed[token, part] += weight / math.fsum(weights) * values[other, part]
    return mixed @ layer.output


def test_one_pass_is_the_definition():
    outputs, cache = forward(LAYER, PROMPT)
    assert same(outputs, by_hand(LAYER, PROMPT))
    assert cache.keys.shape == cache.values.shape == (4, TOKENS, 8)


@given(chunks=chunkings())
def test_any_chunking_gives_the_same_outputs_and_cache(chunks):
    outputs, cache = prefill(LAYER, PROMPT, chunks)
    whole_outputs, whole_cache = forward(LAYER, PROMPT)
    assert same(outputs, whole_outputs)
    assert same_cache(cache, whole_cache)


@pytest.mark.parametrize("chunks", CHUNKINGS, ids=lambda chunks: f"{max(chunks)}")
def test_the_next_layer_sees_the_difference_of_a_wrong_chunking_and_none_of_a_right_one(chunks):
    above = random_layer(seed=3)
    _, whole = forward(above, forward(LAYER, PROMPT)[0])
    _, right = prefill(above, prefill(LAYER, PROMPT, chunks)[0], chunks)
    assert same_cache(right, whole)
    wrong_outputs = prefill_chunks_apart(LAYER, PROMPT, chunks)
    _, wrong = forward(above, wrong_outputs)
    first = chunks[0]
    assert same(wrong_outputs[:first], forward(LAYER, PROMPT)[0][:first])
    assert np.abs(wrong_outputs[first:] - forward(LAYER, PROMPT)[0][first:]).max() > 0.1
    assert np.abs(wrong.keys - whole.keys).max() > 0.1


def test_one_chunk_alone_is_no_wrong_chunking():
    assert same(prefill_chunks_apart(LAYER, PROMPT, [TOKENS]), forward(LAYER, PROMPT)[0])


@pytest.mark.parametrize("evict_at", [0, 1, 10, 19])
def test_an_eviction_in_mid_generation_changes_nothing(evict_at):
    tokens, cache = generate(LAYER, PROMPT, 20)
    resumed_tokens, resumed_cache = generate(LAYER, PROMPT, 20, evict_at=evict_at)
    assert tokens.shape == (TOKENS + 20, 32)
    assert same(resumed_tokens, tokens)
    assert same_cache(resumed_cache, cache)
    assert np.array_equal(tokens[:TOKENS], PROMPT)


def test_generating_is_one_pass_over_prompt_and_generated_tokens():
    tokens, cache = generate(LAYER, PROMPT, 20)
    outputs, whole = forward(LAYER, tokens)
    assert same_cache(cache, whole)
    for step in range(20):
        last = outputs[TOKENS - 1 + step]
        assert same(tokens[TOKENS + step], last / np.sqrt(np.mean(last**2)))


def test_later_tokens_change_nothing_before_them():
    changed = PROMPT.copy()
    changed[10] += 1
    before, after = forward(LAYER, PROMPT)[0], forward(LAYER, changed)[0]
    assert np.array_equal(before[:10], after[:10])
    assert (np.abs(before[10:] - after[10:]).max(axis=1) > 1e-6).all()


def test_forward_leaves_tokens_and_cache_as_they_were():
    tokens = PROMPT.copy()
    _, cache = forward(LAYER, tokens[:10])
    keys = cache.keys.copy()
    forward(LAYER, tokens[10:], cache)
    assert cache.tokens == 10
    assert np.array_equal(cache.keys, keys)
    assert np.array_equal(tokens, PROMPT)


def test_large_scores_do_not_overflow():
    outputs, _ = forward(LAYER, PROMPT * 1e4)
    assert np.isfinite(outputs).all()


@pytest.mark.parametrize("cached", [0, 1, 10, 23])
def test_pytorch_agrees(cached):
    """For a chunk PyTorch needs the mask: its `is_causal` lines up the first tokens, not the last.

    Torch is no dependency, so where it is not installed this is skipped, and `pytest` says so.
    """
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    queries, keys, values = np.random.default_rng(4).normal(size=(3, 4, TOKENS, 8))
    queries = queries[:, cached:]
    mask = np.tril(np.ones((TOKENS, TOKENS), dtype=bool))[cached:]
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (queries, keys, values)), attn_mask=torch.from_numpy(mask)
    )
    assert same(attend(queries, keys, values), theirs.numpy())
    if cached == 0:
        causal = torch.nn.functional.scaled_dot_product_attention(
            *map(torch.from_numpy, (queries, keys, values)), is_causal=True
        )
        assert same(attend(queries, keys, values), causal.numpy())


@pytest.mark.parametrize(("width", "heads"), [(32, 5), (32, 0), (0, 1), (4, 8)])
def test_heads_must_divide_the_width(width, heads):
    with pytest.raises(ValueError, match="heads"):
        random_layer(width, heads)


@pytest.mark.parametrize("chunks", [[], [TOKENS - 1], [TOKENS, 1], [0, TOKENS], [-1, TOKENS + 1]])
def test_chunks_must_add_up(chunks):
    for compute in (prefill, prefill_chunks_apart):
        with pytest.raises(ValueError, match="chunks"):
            compute(LAYER, PROMPT, chunks)


@pytest.mark.parametrize(("tokens", "size"), [(0, 1), (1, 0), (5, -1)])
def test_equal_chunks_are_above_zero(tokens, size):
    with pytest.raises(ValueError, match="chunk_tokens"):
        equal_chunks(tokens, size)


def test_a_cache_must_be_of_the_same_layer_shape():
    _, cache = forward(random_layer(heads=8), PROMPT)
    with pytest.raises(ValueError, match="dimension"):
        forward(LAYER, PROMPT, cache)


@pytest.mark.parametrize("shape", [(32,), (0, 32), (5, 31), (1, 5, 32)])
def test_tokens_must_fit_the_layer(shape):
    with pytest.raises(ValueError, match="tokens"):
        forward(LAYER, np.zeros(shape))


def test_queries_need_their_keys():
    with pytest.raises(ValueError, match="3 queries"):
        attend(np.zeros((1, 3, 2)), np.zeros((1, 2, 2)), np.zeros((1, 2, 2)))


@pytest.mark.parametrize(("steps", "evict_at"), [(-1, None), (3, 3), (3, -1), (0, 0)])
def test_the_eviction_must_be_one_of_the_steps(steps, evict_at):
    with pytest.raises(ValueError, match="steps"):
        generate(LAYER, PROMPT, steps, evict_at)


def test_equal_chunks_end_with_the_rest():
    assert equal_chunks(10, 4) == [4, 4, 2]
    assert equal_chunks(3, 5) == [3]


@pytest.mark.parametrize("chunks", [[5], [2, 3], [1, 1, 1], [4, 1]])
def test_each_token_attends_to_all_before_it_once(chunks):
    computed, cached = (set(map(tuple, pairs.tolist())) for pairs in attended(chunks))
    tokens = sum(chunks)
    assert computed | cached == {(i, j) for i in range(tokens) for j in range(i + 1)}
    assert not computed & cached
    first = chunks[0]
    assert all(key < first for query, key in cached if query == first)
    for bad in ([], [0, 2], [3, -1]):
        with pytest.raises(ValueError, match="chunks must be above 0"):
            attended(bad)


def test_the_largest_difference_of_each_token():
    one = np.array([[1.0, 2.0], [3.0, 4.0]])
    other = np.array([[1.0, 2.5], [0.0, 4.0]])
    assert largest_differences(one, other).tolist() == [0.5, 3.0]
