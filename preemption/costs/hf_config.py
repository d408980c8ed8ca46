"""Read a Hugging Face `config.json`: the fields that decide how large the KV cache is.

Fields, defaults and layer patterns are those of each family's configuration class in
transformers (data/families.toml). Nothing is guessed: what the config does not say and the
family does not set is an error.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from preemption.checks import shown, whole


@dataclass(frozen=True)
class Family:
    """What a family's configuration class sets: defaults, and which layers slide.

    `defaults` lacks what the class leaves to the other fields: a null, or nothing, stands for "as
    many as heads", "hidden_size / heads" or no window. In the fields of `never_null` the class
    takes a null for a number and fails. `latent` is multi-head latent attention. Every layer
    slides but each `full_every`th, or, if there is a window, all layers from `slides_from` on;
    both are a number or name the field that holds it.
    """

    defaults: Mapping[str, int | bool]
    never_null: Sequence[str] = ()
    latent: bool = False
    full_every: int | str | None = None
    slides_from: int | str | None = None


_TEXT = (Path(__file__).parent / "data" / "families.toml").read_text(encoding="utf-8")
FAMILIES = {name: Family(**table) for name, table in tomllib.loads(_TEXT).items()}


class _Fields:
    """The fields of one config, each checked when read; remembers which came from the family."""

    def __init__(self, config: Mapping[str, object]) -> None:
        name, nested = config.get("model_type"), config.get("text_config") is not None
        if not isinstance(name, str) or name not in FAMILIES:
            hint = "; it is nested, try its text_config" if nested else ""
            raise ValueError(
                f"model_type {shown(name)} is not known, so neither is its cache; "
                f"known are {', '.join(FAMILIES)}{hint}"
            )
        if nested:
            raise ValueError(f"{name}: the config is nested, pass its text_config")
        if config.get("use_bidirectional_attention"):
            raise ValueError(f"{name}: the cache of bidirectional attention is not known")
        self.config, self.name, self.family = config, name, FAMILIES[name]
        self.from_family: list[str] = []

    def _value(self, key: str) -> object:
        if key in self.config:
            return self.config[key]
        default = self.family.defaults.get(key)
        if default is not None:
            self.from_family.append(key)
        return default

    def error(self, key: str, allowed: str, value: object) -> ValueError:
        why = f"it must be {allowed}, not {shown(value)}"
        return ValueError(f"{self.name}: {key} is not known: {why}")

    def whole(self, key: str, least: int = 1) -> int:
        value = self._value(key)
        try:
            return whole(key, value, least=least)
        except (TypeError, ValueError):
            raise self.error(key, f"a whole number of {least} or more", value) from None

    def whole_or_null(self, key: str) -> int | None:
        null = self.config.get(key, self.family.defaults.get(key)) is None
        return None if null and key not in self.family.never_null else self.whole(key)

    def number_of(self, number: int | str, least: int = 1) -> int:
        """Return a number of the family, or the one in the field that it names."""
        return number if isinstance(number, int) else self.whole(number, least)

    def flag(self, key: str) -> bool:
        value = self._value(key)
        if not isinstance(value, bool):
            raise self.error(key, "true or false", value)
        return value


def read_config(config: Mapping[str, object]) -> tuple[dict[str, Any], str]:
    """Return the shape of the cache, as fields of `catalogue.Model`, and where it came from.

    `config` is the content of a `config.json` of one of the `FAMILIES`. An absent field is taken
    from the family's defaults; `layer_types`, where given, rules over the family's pattern of
    sliding layers. Where the config gives its cache a type or a kind of its own (`dtype`,
    `kv_cache_scheme`, `cache_implementation`...), the source says that this is left out: the bits
    of an element are an argument of `cache_bytes`. Raises ValueError that says what is not known:
    an unknown or missing model_type, a nested (multimodal) config, a field of a wrong type or out
    of range, layers that slide over no window.
    """
    fields = _Fields(config)
    layers, heads = fields.whole("num_hidden_layers"), fields.whole("num_attention_heads")
    heads_shape = _latent(fields) if fields.family.latent else _grouped(fields, heads)
    windowed_layers = _windowed_layers(fields, layers)
    shape = {
        "layers": layers,
        "heads": heads,
        **heads_shape,
        "windowed_layers": windowed_layers,
        "window": fields.whole("sliding_window") if windowed_layers else None,
    }
    source = f"its Hugging Face config.json, model_type {fields.name}"
    if said := _said_of_cache(config):
        source += f"; what it says of the cache itself is left out: {shown(said)}"
    if fields.from_family:
        names = ", ".join(dict.fromkeys(fields.from_family))
        source += f"; {names} absent there, so the family's default in transformers"
    return shape, source


def _said_of_cache(config: Mapping[str, object]) -> dict[str, object]:
    """Return what a config says of its cache besides the shape: another type, or another kind."""
    quantization = config.get("quantization_config")
    said = {**config, **(quantization if isinstance(quantization, Mapping) else {})}
    return {
        key: value
        for key, value in said.items()
        if ("cache" in str(key) and key != "use_cache" and value not in (None, "auto"))
        or (key in ("dtype", "torch_dtype") and value not in (None, "auto", "bfloat16", "float16"))
    }


def _grouped(fields: _Fields, heads: int) -> dict[str, int | None]:
    head_dim = fields.whole_or_null("head_dim")
    if head_dim is None:
        hidden_size = fields.whole("hidden_size")
        head_dim, rest = divmod(hidden_size, heads)
        if rest:
            raise ValueError(
                f"{fields.name}: head_dim is not known: it must be given, since {heads} heads do "
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
    slides = "use_sliding_window" not in family.defaults or fields.flag("use_sliding_window")
    window = fields.whole_or_null("sliding_window") if slides else None
    layer_types = fields.config.get("layer_types")
    if layer_types is not None:
        count = _count_sliding(fields, layer_types, layers)
    elif family.full_every is not None:
        count = layers - layers // fields.number_of(family.full_every)
    elif window is None:
        return 0
    elif family.slides_from is not None:
        count = max(0, layers - fields.number_of(family.slides_from, least=0))
    else:
        raise fields.error("sliding_window", "null, the family has no window", window)
    if count and window is None:
        raise ValueError(f"{fields.name}: {count} layers slide, but the window is not known")
    if count and family.latent:
        raise ValueError(f"{fields.name}: a latent cache with a sliding window is not known")
    return count


def _count_sliding(fields: _Fields, layer_types: object, layers: int) -> int:
    if not isinstance(layer_types, list | tuple) or len(layer_types) != layers:
        raise fields.error("layer_types", f"a list of {layers} layer types", layer_types)
    for layer_type in layer_types:
        if layer_type not in ("full_attention", "sliding_attention"):
            raise fields.error("layer_types", "full_attention or sliding_attention", layer_type)
    return layer_types.count("sliding_attention")
