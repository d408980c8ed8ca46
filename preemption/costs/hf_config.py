"""Read a Hugging Face `config.json`: the fields that decide how large the KV cache is.

Fields, defaults and layer patterns are those of each family's configuration class in
transformers (4.57.1 and 5.24.0 were read; their defaults agree). Nothing is guessed: what the
config does not say and the family does not set is an error.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

Default: TypeAlias = int | bool | None

_QWEN: dict[str, Default] = {"use_sliding_window": False, "sliding_window": 4096}
_QWEN_DENSE: dict[str, Default] = _QWEN | {"max_window_layers": 28}
_LATENT: dict[str, Default] = {
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
}


def _family(
    hidden_size: int,
    num_hidden_layers: int,
    num_attention_heads: int,
    num_key_value_heads: int | None = None,
    head_dim: int | None = None,
    **others: Default,
) -> dict[str, Default]:
    """Return a family's defaults; None where the class leaves a field to the others."""
    return {
        "hidden_size": hidden_size,
        "num_hidden_layers": num_hidden_layers,
        "num_attention_heads": num_attention_heads,
        "num_key_value_heads": num_key_value_heads,
        "head_dim": head_dim,
        "sliding_window": None,
        **others,
    }


FAMILIES: dict[str, dict[str, Default]] = {
    "llama": _family(4096, 32, 32),
    "mistral": _family(4096, 32, 32, 8, sliding_window=4096),
    "mixtral": _family(4096, 32, 32, 8),
    "qwen2": _family(4096, 32, 32, 32, **_QWEN_DENSE),
    "qwen3": _family(4096, 32, 32, 32, 128, **_QWEN_DENSE),
    "qwen3_moe": _family(2048, 24, 32, 4, **_QWEN),
    "phi3": _family(3072, 32, 32),
    "gemma2": _family(2304, 26, 8, 4, 256, sliding_window=4096),
    "gemma3_text": _family(2304, 26, 8, 4, 256, sliding_window=4096, sliding_window_pattern=6),
    "deepseek_v2": _family(4096, 32, 32, **_LATENT),
    "deepseek_v3": _family(7168, 61, 128, **_LATENT),
    "gpt_oss": _family(2880, 36, 64, 8, 64, sliding_window=128),
}
_LATENT_FAMILIES = ("deepseek_v2", "deepseek_v3")
# A null here stands for "as many as heads" or "hidden_size / heads"; in the other families the
# class takes it for a number and fails.
_NULL_ALLOWED = {
    "num_key_value_heads": FAMILIES.keys() - {"qwen3_moe", "gemma2", "gemma3_text"},
    "head_dim": FAMILIES.keys() - {"qwen3", "gemma2", "gemma3_text"},
    "sliding_window": FAMILIES.keys(),
}


class _Fields:
    """The fields of one config, each checked when read; remembers which came from the family."""

    def __init__(self, config: Mapping[str, object]) -> None:
        family, nested = config.get("model_type"), config.get("text_config") is not None
        if not isinstance(family, str) or family not in FAMILIES:
            hint = "; it is nested, try its text_config" if nested else ""
            raise ValueError(
                f"model_type {family!r} is not known, so neither is its cache; "
                f"known are {', '.join(FAMILIES)}{hint}"
            )
        if nested:
            raise ValueError(f"{family}: the config is nested, pass its text_config")
        if config.get("use_bidirectional_attention"):
            raise ValueError(f"{family}: the cache of bidirectional attention is not known")
        self.config, self.family = config, family
        self.from_family: list[str] = []

    def _value(self, key: str) -> object:
        if key in self.config:
            return self.config[key]
        default = FAMILIES[self.family][key]
        if default is not None:
            self.from_family.append(key)
        return default

    def error(self, key: str, allowed: str, value: object) -> ValueError:
        return ValueError(f"{self.family}: {key} is not known: it must be {allowed}, not {value!r}")

    def whole(self, key: str, least: int = 1) -> int:
        value = self._value(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.error(key, f"a whole number of {least} or more", value)
        return value

    def whole_or_null(self, key: str) -> int | None:
        null = self.config.get(key, FAMILIES[self.family][key]) is None
        return None if null and self.family in _NULL_ALLOWED[key] else self.whole(key)

    def flag(self, key: str) -> bool:
        value = self._value(key)
        if not isinstance(value, bool):
            raise self.error(key, "true or false", value)
        return value


def read_config(config: Mapping[str, object]) -> tuple[dict[str, Any], str]:
    """Return the shape of the cache, as fields of `machines.Model`, and where it came from.

    `config` is the content of a `config.json` of one of the `FAMILIES`. An absent field is taken
    from the family's defaults; `layer_types`, where given, rules over the family's pattern of
    sliding layers. Raises ValueError that says what is not known: an unknown or missing
    model_type, a nested (multimodal) config, a field of a wrong type or out of range, layers
    that slide over no window.
    """
    fields = _Fields(config)
    layers, heads = fields.whole("num_hidden_layers"), fields.whole("num_attention_heads")
    heads_shape = _latent(fields) if fields.family in _LATENT_FAMILIES else _grouped(fields, heads)
    windowed_layers = _windowed_layers(fields, layers)
    shape = {
        "layers": layers,
        "heads": heads,
        **heads_shape,
        "windowed_layers": windowed_layers,
        "window": fields.whole("sliding_window") if windowed_layers else None,
    }
    source = f"its Hugging Face config.json, model_type {fields.family}"
    if fields.from_family:
        names = ", ".join(dict.fromkeys(fields.from_family))
        source += f"; {names} absent there, so the family's default in transformers"
    return shape, source


def _grouped(fields: _Fields, heads: int) -> dict[str, int | None]:
    head_dim = fields.whole_or_null("head_dim")
    if head_dim is None:
        hidden_size = fields.whole("hidden_size")
        head_dim, rest = divmod(hidden_size, heads)
        if rest:
            raise ValueError(
                f"{fields.family}: head_dim is not known: it must be given, since {heads} heads do "
                f"not divide hidden_size {hidden_size}"
            )
    kv_heads = fields.whole_or_null("num_key_value_heads")
    return {"head_dim": head_dim, "kv_heads": heads if kv_heads is None else kv_heads}


def _latent(fields: _Fields) -> dict[str, int | None]:
    """Multi-head latent attention: one compressed vector and the rotary part of the key."""
    rope = fields.whole("qk_rope_head_dim")
    return {
        "latent_dim": fields.whole("kv_lora_rank") + rope,
        "head_dim": fields.whole("qk_nope_head_dim") + rope,
        "value_dim": fields.whole("v_head_dim"),
    }


def _windowed_layers(fields: _Fields, layers: int) -> int:
    """Count the layers that keep only a sliding window of tokens."""
    family = fields.family
    slides = "use_sliding_window" not in FAMILIES[family] or fields.flag("use_sliding_window")
    window = fields.whole_or_null("sliding_window") if slides else None
    layer_types = fields.config.get("layer_types")
    if layer_types is not None:
        count = _count_sliding(fields, layer_types, layers)
    elif family in ("gemma2", "gpt_oss"):  # every other layer, the first one slides
        count = (layers + 1) // 2
    elif family == "gemma3_text":  # every sixth is full
        count = layers - layers // fields.whole("sliding_window_pattern")
    elif window is None:
        return 0
    elif family in ("qwen2", "qwen3"):
        count = max(0, layers - fields.whole("max_window_layers", least=0))
    elif family in ("mistral", "mixtral", "phi3", "qwen3_moe"):
        count = layers
    else:
        raise fields.error("sliding_window", "null, the family has no window", window)
    if count and window is None:
        raise ValueError(f"{family}: {count} layers slide, but the window is not known")
    if count and family in _LATENT_FAMILIES:
        raise ValueError(f"{family}: a latent cache with a sliding window is not known")
    return count


def _count_sliding(fields: _Fields, layer_types: object, layers: int) -> int:
    if not isinstance(layer_types, list | tuple) or len(layer_types) != layers:
        raise fields.error("layer_types", f"a list of {layers} layer types", layer_types)
    for layer_type in layer_types:
        if layer_type not in ("full_attention", "sliding_attention"):
            raise fields.error("layer_types", "full_attention or sliding_attention", layer_type)
    return layer_types.count("sliding_attention")
