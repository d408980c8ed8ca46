"""The catalogue: bytes of cache against published figures, loading, and what it refuses."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preemption.costs import (
    DEVICES,
    LINKS,
    MODELS,
    PROFILES,
    Link,
    Model,
    Recompute,
    load,
    profile_of,
)

# Bytes per token in 16 bit, from the papers and published configs.
BYTES_PER_TOKEN = {
    "OPT-13B": 819_200,
    "OPT-66B": 2_359_296,
    "Llama-2-7B": 524_288,
    "Llama-2-13B": 819_200,
    "Llama-3-8B": 131_072,
    "Mistral-7B": 131_072,
    "Llama-2-70B": 327_680,
    "Llama-3-70B": 327_680,
    "Llama-3.1-405B": 516_096,
    "Llama-3.2-1B": 32_768,
    "Llama-3.2-3B": 114_688,
    "Qwen2.5-0.5B": 12_288,
    "Qwen2.5-3B": 36_864,
    "Qwen2.5-7B": 57_344,
    "Qwen3-0.6B": 114_688,
    "Qwen3-8B": 147_456,
    "Qwen3-14B": 163_840,
    "Qwen3-32B": 262_144,
    "DeepSeek-V3": 70_272,
    "DeepSeek-R1": 70_272,
}
# Bytes per token up to the window, the window, bytes per token beyond it.
SLIDING = {"gpt-oss-120b": (73_728, 128, 36_864), "Gemma-3-1B": (26_624, 512, 4_096)}


def model(**shape):
    shape = {"layers": 4, "heads": 8, "head_dim": 64, "kv_heads": 2} | shape
    return Model(name="a model", source="a test", sure="derived", **shape)


@st.composite
def models(draw):
    latent = draw(st.booleans())
    layers = draw(st.integers(1, 60))
    windowed = draw(st.integers(0, layers))
    return model(
        layers=layers,
        heads=8,
        head_dim=draw(st.integers(1, 256)),
        kv_heads=None if latent else draw(st.sampled_from([1, 2, 4, 8])),
        latent_dim=draw(st.integers(1, 600)) if latent else None,
        windowed_layers=windowed,
        window=draw(st.integers(1, 5000)) if windowed else None,
    )


@pytest.mark.parametrize("name", BYTES_PER_TOKEN)
@pytest.mark.parametrize("tokens", [0, 1, 1000, 10**6])
def test_bytes_equal_the_published_figures(name, tokens):
    assert MODELS[name].cache_bytes(tokens) == BYTES_PER_TOKEN[name] * tokens


@pytest.mark.parametrize("name", SLIDING)
def test_a_window_of_w_keeps_w_tokens(name):
    below, window, beyond = SLIDING[name]
    for tokens in (0, 1, window - 1, window):
        assert MODELS[name].cache_bytes(tokens) == below * tokens
    for more in (1, 2, 100_000):
        assert MODELS[name].cache_bytes(window + more) == below * window + beyond * more


def test_every_model_is_checked_here():
    assert BYTES_PER_TOKEN.keys() | SLIDING.keys() == MODELS.keys()


def test_the_window_of_gpt_oss_holds_a_fixed_4_72_mb():
    gpt_oss = MODELS["gpt-oss-120b"]
    assert gpt_oss.cache_bytes(10_000) - 36_864 * 10_000 == 4_718_592


@given(models(), st.integers(0, 20_000), st.sampled_from([16, 8, 4]))
def test_bytes_add_up_layer_by_layer(some, tokens, bits):
    windows = [some.window] * some.windowed_layers
    kept = [min(tokens, window) for window in windows] + [tokens] * (some.layers - len(windows))
    elements = some.latent_dim or 2 * some.kv_heads * some.head_dim
    total_bits = sum(elements * bits * count for count in kept)
    size = some.cache_bytes(tokens, bits)
    assert isinstance(size, int)
    assert size == total_bits // 8 + (total_bits % 8 > 0)


@given(models(), st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_arrays_equal_scalars(some, tokens):
    sizes = some.cache_bytes(np.array(tokens))
    assert sizes.dtype == np.float64
    assert sizes.tolist() == [some.cache_bytes(n) for n in tokens]
    assert [some.cache_bytes(float(n)) for n in tokens] == sizes.tolist()
    assert [some.cache_bytes(np.int32(n)) for n in tokens] == sizes.tolist()


def test_fewer_bits_take_fewer_bytes_and_whole_bytes():
    llama = MODELS["Llama-3-8B"]
    assert [llama.cache_bytes(1, bits) for bits in (16, 8, 4)] == [131_072, 65_536, 32_768]
    assert llama.cache_bytes(10**15) == 131_072 * 10**15
    odd = model(layers=1, kv_heads=None, latent_dim=3)
    assert odd.cache_bytes(1, bits=4) == 2


@pytest.mark.parametrize("bits", [0, 1, 2, 32, -16, 16.0, "16", None, True])
def test_other_element_sizes_are_refused(bits):
    with pytest.raises(ValueError, match="bits"):
        model().cache_bytes(1, bits)


@pytest.mark.parametrize(
    ("tokens", "error"),
    [(-1, ValueError), (float("nan"), ValueError), ("1", TypeError), (True, TypeError)],
)
def test_bad_token_counts_are_refused(tokens, error):
    with pytest.raises(error, match="tokens"):
        model().cache_bytes(tokens)


@pytest.mark.parametrize(
    "shape",
    [
        {"layers": 0},
        {"kv_heads": -1},
        {"latent_dim": 5},
        {"kv_heads": None},
        {"windowed_layers": 2},
        {"window": 5},
        {"windowed_layers": 5, "window": 5},
        {"parameters": 8.03},
        {"parameters": 1e9, "active_parameters": 2e9},
        {"active_parameters": 2e9},
        {"weight_bits": 0},
    ],
    ids=str,
)
def test_shapes_that_cannot_be_are_refused(shape):
    with pytest.raises(ValueError, match=r"must|belong"):
        model(**shape)


def test_names_point_to_entries():
    assert {device.host_link for device in DEVICES.values()} - {None} <= LINKS.keys()
    for profile in PROFILES.values():
        assert profile.model in MODELS
        assert set(profile.devices) <= DEVICES.keys()


def test_parameters_fit_the_names():
    for name, entry in MODELS.items():
        billions = re.search(r"([\d.]+)B$", name, re.IGNORECASE)
        said = float(billions[1]) if billions else 671
        assert entry.parameters == pytest.approx(said * 1e9, rel=0.25)


def test_a_link_is_reckoned_as_achieved_where_that_is_known():
    assert LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s == 24.8e9
    assert LINKS["100 Gb/s network"].bandwidth_bytes_per_s == 12.5e9


def test_looking_up_forgives_case_and_lists_what_there_is():
    assert MODELS["llama-3-8b"] is MODELS["Llama-3-8B"]
    with pytest.raises(KeyError, match=r"Llama-4.*not in the catalogue.*Llama-3-8B"):
        MODELS["Llama-4"]


def test_a_reader_adds_an_entry_in_one_call():
    disk = Link(name="my disk", nominal_gb_per_s=2, source="measured here", sure="checked")
    mine = MODELS.add(model())
    try:
        assert MODELS["a model"] is mine
        with pytest.raises(ValueError, match="A MODEL"):
            MODELS.add(Model.from_config({"model_type": "llama"}, name="A MODEL"))
        with pytest.raises(TypeError, match="Model"):
            MODELS.add(disk)
        assert "my disk" not in MODELS
    finally:
        del MODELS["a model"]


LINK = 'name = "A"\nnominal_gb_per_s = 5\nsource = "a test"\nsure = "checked"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[link]]\n" + LINK + "colour = 1\n", "entry 1 (A): unknown key colour"),
        ("[[link]]\n" + LINK.replace('source = "a test"\n', ""), "entry 1 (A): source is missing"),
        ("[[link]]\n" + LINK.replace("a test", " "), "entry 1 (A): source is empty"),
        ("[[link]]\n" + LINK.replace("_gb_per_s", "_gbit_per_s"), "unknown key nominal_gbit_per_s"),
        ("[[link]]\n" + LINK.replace("= 5", "= 5e9"), "entry 1 (A): nominal_gb_per_s must be from"),
        (
            "[[link]]\n" + LINK.replace("= 5", '= "5"'),
            "entry 1 (A): nominal_gb_per_s must be a num",
        ),
        (
            "[[link]]\n" + LINK + "achieved_gb_per_s = 40\n",
            "entry 1 (A): achieved_gb_per_s must be",
        ),
        (
            "[[link]]\n" + LINK + "achieved_gb_per_s = 4\n",
            "entry 1 (A): achieved_source is empty",
        ),
        (
            "[[link]]\n" + LINK + "achieved_gb_per_s = 4\nachieved_source = 1\n",
            "entry 1 (A): achieved_source must be a str, not 1",
        ),
        (
            "[[link]]\n" + LINK.replace("checked", "sure"),
            'entry 1 (A): sure must be "checked", "thread"',
        ),
        ("[[link]]\n" + LINK + "[[link]]\n" + LINK, "entry 2 (A): the name 'A' is taken"),
        (
            "[[link]]\n" + LINK + "[[link]]\n" + LINK.replace('"A"', "1"),
            "entry 2 (1): name must be",
        ),
        ("[[links]]\n" + LINK, "must hold entries [[link]] only, not links"),
        ("link = [1]\n", "entry 1 (1)"),
        ("link = 1\n", "must hold entries [[link]] only"),
        ("[[link]\n", "is not a TOML file"),
    ],
)
def test_loading_names_the_file_and_the_entry(tmp_path, text, said):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        load(file, Link)
    assert str(error.value).startswith("mine.toml")


def test_a_good_file_loads(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text("[[link]]\n" + LINK)
    expected = Link(name="A", nominal_gb_per_s=5, source="a test", sure="checked")
    assert load(file, Link) == {"A": expected}


def test_a_profile_is_of_its_model_and_its_devices():
    measured = {
        (profile.model, device): name
        for name, profile in PROFILES.items()
        for device in profile.devices
    }
    assert len(measured) > 1
    for model in MODELS.values():
        for device in DEVICES.values():
            profile = profile_of(model, device)
            assert (profile and profile.name) == measured.get((model.name, device.name))
            expected = "checked" if profile else "derived"
            if profile or model.parameters is not None:
                assert Recompute.of(model, device).sure == expected
