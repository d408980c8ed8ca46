"""Reading config.json: each family's defaults and layer patterns, and what is refused.

The expectations were compared with the configuration classes of transformers 4.57.1 and 5.24.0.
"""

import json

import pytest

from preemption.costs import FAMILIES, MODELS, Model

FULL, SLIDING = "full_attention", "sliding_attention"

# The fields that matter of configs as published on Hugging Face.
PUBLISHED = {
    "Llama-2-7B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
    },
    "Llama-3-8B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
    },
    "Llama-3.2-3B": {
        "model_type": "llama",
        "hidden_size": 3072,
        "num_attention_heads": 24,
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
        "head_dim": 128,
    },
    "Mistral-7B": {
        "model_type": "mistral",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
        "sliding_window": None,
    },
    "Qwen2.5-0.5B": {
        "model_type": "qwen2",
        "hidden_size": 896,
        "num_attention_heads": 14,
        "num_hidden_layers": 24,
        "num_key_value_heads": 2,
        "max_window_layers": 24,
        "sliding_window": 32768,
        "use_sliding_window": False,
    },
    "Qwen3-0.6B": {
        "model_type": "qwen3",
        "hidden_size": 1024,
        "head_dim": 128,
        "num_attention_heads": 16,
        "num_hidden_layers": 28,
        "num_key_value_heads": 8,
        "max_window_layers": 28,
        "sliding_window": None,
        "use_sliding_window": False,
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3",
        "hidden_size": 7168,
        "kv_lora_rank": 512,
        "num_attention_heads": 128,
        "num_hidden_layers": 61,
        "num_key_value_heads": 128,
        "num_nextn_predict_layers": 1,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
    },
    "gpt-oss-120b": {
        "model_type": "gpt_oss",
        "head_dim": 64,
        "hidden_size": 2880,
        "layer_types": [SLIDING, FULL] * 18,
        "num_attention_heads": 64,
        "num_hidden_layers": 36,
        "num_key_value_heads": 8,
        "sliding_window": 128,
    },
    "Gemma-3-1B": {
        "model_type": "gemma3_text",
        "head_dim": 256,
        "hidden_size": 1152,
        "num_attention_heads": 4,
        "num_hidden_layers": 26,
        "num_key_value_heads": 1,
        "sliding_window": 512,
        "sliding_window_pattern": 6,
    },
}
SHAPE = (
    "layers",
    "heads",
    "head_dim",
    "kv_heads",
    "latent_dim",
    "value_dim",
    "windowed_layers",
    "window",
)


def shape(model):
    return tuple(getattr(model, key) for key in SHAPE)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_configs_give_the_entries_of_the_catalogue(name):
    assert shape(Model.from_config(PUBLISHED[name])) == shape(MODELS[name])


# layers, heads, head_dim, kv_heads, latent_dim, value_dim, windowed_layers, window
DEFAULTS = {
    "llama": (32, 32, 128, 32, None, None, 0, None),
    "mistral": (32, 32, 128, 8, None, None, 32, 4096),
    "mixtral": (32, 32, 128, 8, None, None, 0, None),
    "qwen2": (32, 32, 128, 32, None, None, 0, None),
    "qwen3": (32, 32, 128, 32, None, None, 0, None),
    "qwen3_moe": (24, 32, 64, 4, None, None, 0, None),
    "phi3": (32, 32, 96, 32, None, None, 0, None),
    "gemma2": (26, 8, 256, 4, None, None, 13, 4096),
    "gemma3_text": (26, 8, 256, 4, None, None, 22, 4096),
    "deepseek_v2": (32, 32, 192, None, 576, 128, 0, None),
    "deepseek_v3": (61, 128, 192, None, 576, 128, 0, None),
    "gpt_oss": (36, 64, 64, 8, None, None, 18, 128),
}


def test_an_empty_config_is_the_default_of_its_family():
    assert {name: shape(Model.from_config({"model_type": name})) for name in FAMILIES} == DEFAULTS


@pytest.mark.parametrize(
    ("config", "windowed_layers", "window"),
    [
        ({"model_type": "mistral", "sliding_window": 1000}, 32, 1000),
        ({"model_type": "mixtral", "sliding_window": 4096}, 32, 4096),
        ({"model_type": "phi3", "sliding_window": 2047}, 32, 2047),
        ({"model_type": "qwen2", "use_sliding_window": True}, 4, 4096),
        ({"model_type": "qwen2", "use_sliding_window": True, "sliding_window": None}, 0, None),
        ({"model_type": "qwen3", "use_sliding_window": True, "max_window_layers": 0}, 32, 4096),
        ({"model_type": "qwen3", "use_sliding_window": True, "max_window_layers": 99}, 0, None),
        ({"model_type": "qwen3_moe", "use_sliding_window": True, "max_window_layers": 9}, 24, 4096),
        ({"model_type": "gemma2", "num_hidden_layers": 27}, 14, 4096),
        ({"model_type": "gemma3_text", "num_hidden_layers": 5}, 5, 4096),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 1}, 0, None),
        ({"model_type": "gpt_oss", "num_hidden_layers": 1}, 1, 128),
    ],
)
def test_which_layers_slide(config, windowed_layers, window):
    model = Model.from_config(config)
    assert (model.windowed_layers, model.window) == (windowed_layers, window)


@pytest.mark.parametrize("family", [name for name, family in FAMILIES.items() if not family.latent])
def test_layer_types_rule(family):
    config = {
        "model_type": family,
        "num_hidden_layers": 3,
        "sliding_window": 100,
        "use_sliding_window": True,
        "layer_types": [FULL, SLIDING, FULL],
    }
    model = Model.from_config(config)
    assert (model.windowed_layers, model.window) == (1, 100)
    model = Model.from_config(config | {"layer_types": [FULL] * 3})
    assert (model.windowed_layers, model.window) == (0, None)


def test_heads_from_the_other_fields():
    llama = {"model_type": "llama", "hidden_size": 2048, "num_attention_heads": 16}
    assert Model.from_config(llama).kv_heads == 16
    assert Model.from_config(llama | {"num_key_value_heads": None}).kv_heads == 16
    assert Model.from_config(llama | {"model_type": "mistral"}).kv_heads == 8
    assert Model.from_config(llama).head_dim == 128
    assert Model.from_config(llama | {"head_dim": None}).head_dim == 128
    assert Model.from_config(llama | {"head_dim": 80}).head_dim == 80
    qwen2 = {"model_type": "qwen2", "num_attention_heads": 64}
    assert Model.from_config(qwen2).kv_heads == 32
    assert Model.from_config(qwen2 | {"head_dim": 96}).head_dim == 96


def test_absent_fields_are_named_in_the_source():
    source = Model.from_config(PUBLISHED["Llama-3-8B"]).source
    assert source == "its Hugging Face config.json, model_type llama"
    source = Model.from_config({"model_type": "mistral", "sliding_window": None}).source
    assert "num_hidden_layers, num_attention_heads, hidden_size, num_key_value_heads" in source


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"torch_dtype": "float32"}, "{'torch_dtype': 'float32'}"),
        ({"dtype": "float8_e4m3fn"}, "{'dtype': 'float8_e4m3fn'}"),
        ({"cache_implementation": "quantized"}, "{'cache_implementation': 'quantized'}"),
        ({"kv_cache_dtype": "fp8"}, "{'kv_cache_dtype': 'fp8'}"),
        (
            {"quantization_config": {"bits": 4, "kv_cache_scheme": {"num_bits": 8}}},
            "{'kv_cache_scheme': {'num_bits': 8}}",
        ),
        ({"quantization_config": {"kv_cache_quant_algo": "FP8"}}, "{'kv_cache_quant_algo': 'FP8'}"),
    ],
    ids=str,
)
def test_what_a_config_says_of_its_cache_is_not_left_out_without_a_word(config, said):
    plain = Model.from_config(PUBLISHED["Llama-3-8B"])
    model = Model.from_config(PUBLISHED["Llama-3-8B"] | config)
    assert model.source.endswith(f"; what it says of the cache itself is left out: {said}")
    assert shape(model) == shape(plain)


@pytest.mark.parametrize(
    "config",
    [
        {"use_cache": False},
        {"torch_dtype": "bfloat16", "dtype": "float16"},
        {"torch_dtype": "auto", "kv_cache_dtype": "auto", "cache_implementation": None},
        {"quantization_config": {"bits": 4, "kv_cache_scheme": None}},
        {"quantization_config": None},
    ],
    ids=str,
)
def test_a_cache_of_16_bits_needs_no_word(config):
    assert "cache" not in Model.from_config(PUBLISHED["Llama-3-8B"] | config).source


def test_a_file_reads_like_its_content(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(PUBLISHED["gpt-oss-120b"]))
    for path in (file, str(file)):
        assert shape(Model.from_config(path)) == shape(MODELS["gpt-oss-120b"])


def test_names():
    config = {"model_type": "llama"}
    assert Model.from_config(config).name == "llama"
    assert Model.from_config(config | {"_name_or_path": "some/where"}).name == "where"
    assert Model.from_config(config | {"_name_or_path": "some/where"}, name="mine").name == "mine"
    assert Model.from_config(config, parameters=7e9).parameters == 7e9
    assert Model.from_config(config).parameters is None


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "model_type None is not known"),
        ({"hidden_size": 4096}, "model_type None is not known"),
        ({"model_type": "mamba"}, "model_type 'mamba' is not known.*known are llama"),
        ({"model_type": ["llama"]}, "is not known"),
        ({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}}, "text_config"),
        ({"model_type": "llama", "text_config": {}}, "nested"),
        ({"model_type": "gemma3_text", "use_bidirectional_attention": True}, "bidirectional"),
        ({"model_type": "llama", "num_hidden_layers": "32"}, "num_hidden_layers is not known"),
        ({"model_type": "llama", "num_hidden_layers": 32.0}, "num_hidden_layers is not known"),
        ({"model_type": "llama", "num_hidden_layers": None}, "num_hidden_layers is not known"),
        ({"model_type": "llama", "num_hidden_layers": 0}, "num_hidden_layers is not known"),
        ({"model_type": "llama", "num_attention_heads": True}, "num_attention_heads is not known"),
        ({"model_type": "llama", "num_attention_heads": [32]}, "num_attention_heads is not known"),
        ({"model_type": "llama", "num_key_value_heads": -8}, "num_key_value_heads is not known"),
        ({"model_type": "llama", "hidden_size": "4096"}, "hidden_size is not known"),
        ({"model_type": "llama", "num_attention_heads": 24}, "given, since 24 heads do not"),
        ({"model_type": "llama", "num_key_value_heads": 5}, "kv_heads must divide the 32 heads"),
        ({"model_type": "llama", "num_key_value_heads": 64}, "kv_heads must divide the 32 heads"),
        ({"model_type": "llama", "sliding_window": 4096}, "sliding_window is not known"),
        ({"model_type": "qwen3", "head_dim": None}, "head_dim is not known"),
        ({"model_type": "gemma2", "num_key_value_heads": None}, "num_key_value_heads is not known"),
        ({"model_type": "gemma2", "sliding_window": None}, "13 layers slide.*not known"),
        ({"model_type": "mistral", "sliding_window": "4096"}, "sliding_window is not known"),
        ({"model_type": "mistral", "sliding_window": 0}, "sliding_window is not known"),
        ({"model_type": "qwen2", "use_sliding_window": "no"}, "use_sliding_window is not known"),
        (
            {"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": None},
            "max_window_layers is not known",
        ),
        ({"model_type": "qwen2", "layer_types": [SLIDING] * 32}, "32 layers slide.*not known"),
        ({"model_type": "qwen2", "layer_types": [FULL]}, "list of 32 layer types"),
        ({"model_type": "gpt_oss", "layer_types": "full"}, "list of 36 layer types"),
        ({"model_type": "gpt_oss", "layer_types": ["chunked_attention"] * 36}, "chunked_attention"),
        ({"model_type": "gpt_oss", "layer_types": [[]] * 36}, "layer_types is not known"),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 0}, "sliding_window_pattern"),
        ({"model_type": "deepseek_v3", "kv_lora_rank": None}, "kv_lora_rank is not known"),
        ({"model_type": "deepseek_v2", "sliding_window": 128}, "sliding_window is not known"),
        (
            {"model_type": "deepseek_v3", "sliding_window": 9, "layer_types": [SLIDING] * 61},
            "latent cache with a sliding window",
        ),
    ],
    ids=str,
)
def test_what_is_not_known_is_said(config, said):
    with pytest.raises(ValueError, match=said):
        Model.from_config(config)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '"llama"',
        "null",
        b"\xff\xfe\x00",
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 5000,
    ],
    ids=lambda text: str(text[:9]),
)
def test_a_file_that_is_no_config_is_named(tmp_path, text):
    file = tmp_path / "config.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=r"config\.json"):
        Model.from_config(file)
