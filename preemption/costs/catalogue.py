"""Real models, devices and links: a catalogue with sources, and the bytes of a KV cache.

`MODELS`, `DEVICES`, `LINKS` and `PROFILES` map a name to its entry. Each entry says where its
figures come from (`source`) and how sure they are (`sure`): "checked" (the original text, code
or data was read, or a figure was measured), "thread" (the author's own words in a public
thread), "second-hand" (reported by others) or "derived" (computed; the source says how).
GB means 1e9 bytes.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypeVar, cast, get_args, overload

import numpy as np

from preemption.checks import Array, Values, choice, instance, numbers, scalar, shown, whole
from preemption.costs.hf_config import read_config

Sure: TypeAlias = Literal["checked", "thread", "second-hand", "derived"]

BITS = (16, 8, 4)
# How the source of an entry begins that was measured by this package; and on the reader's machine.
_MEASURED = "measured on "
OWN = f"{_MEASURED}this machine"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What every entry of the catalogue has: a name, a source, how sure it is, and a remark.

    Entries of all kinds raise ValueError for a value out of range, or for values that do not go
    together, and TypeError for a wrong type.
    """

    name: str
    source: str
    sure: Sure
    note: str = ""

    def __post_init__(self) -> None:
        for key in ("name", "source", "note"):
            text = getattr(self, key)
            instance(key, text, str)
            if not text.strip() and key != "note":
                raise ValueError(f"{key} is empty")
        choice("sure", self.sure, get_args(Sure))

    @property
    def own(self) -> bool:
        """Whether it was measured by this package, so that it is not published."""
        return self.source.startswith(_MEASURED)

    def _in_range(self, key: str, low: float, high: float, unit: str) -> None:
        value = getattr(self, key)
        if not low <= scalar(key, value) <= high:
            raise ValueError(
                f"{key} must be from {low:g} to {high:g} {unit} (is the unit right?), not {value}"
            )

    def _whole(self, key: str, least: int = 1) -> None:
        object.__setattr__(self, key, whole(key, getattr(self, key), least=least))


def _check_points(points: object, *of: str) -> None:
    """Raise ValueError or TypeError unless these are measured points, each of so many numbers."""
    instance("points", points, tuple)
    for point in cast(tuple[object, ...], points):
        if not isinstance(point, tuple) or len(point) != len(of):
            raise ValueError(f"each of points must be ({', '.join(of)}), not {shown(point)}")
        for name, value in zip(of, point, strict=True):
            scalar(f"{name} of points", value, positive=True)


@dataclass(frozen=True, kw_only=True)
class Model(Entry):
    """A language model: the shape of its KV cache, and its size.

    `heads` query heads of `head_dim`. The cache of a token in a layer is `kv_heads` keys and
    values (multi-head, grouped-query), or one latent vector of `latent_dim` (multi-head latent
    attention, MLA), where a value head may have another size, `value_dim`. Of the `layers`,
    `windowed_layers` keep only the last `window` tokens. `parameters` are all, and
    `active_parameters` those that one token passes through (default: all; fewer in a mixture of
    experts), each of `weight_bits` bits on average; without them bytes can be told, times
    cannot.
    """

    layers: int
    heads: int
    head_dim: int
    kv_heads: int | None = None
    latent_dim: int | None = None
    value_dim: int | None = None
    windowed_layers: int = 0
    window: int | None = None
    parameters: float | None = None
    active_parameters: float | None = None
    weight_bits: float = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("layers", "heads", "head_dim"):
            self._whole(key)
        for key in ("kv_heads", "latent_dim", "value_dim", "window"):
            if getattr(self, key) is not None:
                self._whole(key)
        if (self.kv_heads is None) == (self.latent_dim is None):
            raise ValueError(
                "either kv_heads or latent_dim must be given, not "
                f"{'neither' if self.kv_heads is None else 'both'}"
            )
        self._whole("windowed_layers", least=0)
        if self.heads % (self.kv_heads or 1):
            raise ValueError(f"kv_heads must divide the {self.heads} heads, not {self.kv_heads}")
        if self.windowed_layers > self.layers:
            raise ValueError(
                f"windowed_layers must be at most {self.layers}, not {self.windowed_layers}"
            )
        if (self.window is None) != (self.windowed_layers == 0):
            raise ValueError(
                "window and windowed_layers belong together, but they are "
                f"{self.window} and {self.windowed_layers}"
            )
        for key in ("parameters", "active_parameters"):
            if getattr(self, key) is not None:
                self._in_range(key, 1e5, 1e14, "parameters")
        if (self.active_parameters or 0) > (self.parameters or 0):
            raise ValueError(
                f"active_parameters must be at most the parameters, {self.parameters}, not "
                f"{self.active_parameters}"
            )
        self._in_range("weight_bits", 1, 32, "bits")

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, object] | str | os.PathLike[str],
        name: str | None = None,
        *,
        parameters: float | None = None,
        active_parameters: float | None = None,
    ) -> Self:
        """Build a model from a Hugging Face `config.json`, given as its path or as a dict.

        Known are the model types in `hf_config.FAMILIES`, with each family's defaults where a
        field is absent. `name` is by default the last part of the config's `_name_or_path`, else
        the model type. Bits that the config sets for its cache are not used, but named in
        `source`: give them to `cache_bytes`. A config does not say how many `parameters` a model
        has: give them if times are wanted. Raises ValueError that says what is not known: no JSON
        object, an unknown or missing `model_type`, a nested config, a field of a wrong type or out
        of range.
        """
        if not isinstance(config, Mapping | str | os.PathLike):
            raise TypeError(f"config must be a path or a dict, not {shown(config)}")
        if not isinstance(config, Mapping):
            path = Path(config)
            try:
                config = json.loads(path.read_text(encoding="utf-8-sig"))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path} is not a JSON file: {error}") from None
            if not isinstance(config, Mapping):
                raise ValueError(f"{path} must hold a JSON object, not {shown(config)}")
        shape, source = read_config(config)
        if name is None:
            path_name = str(config.get("_name_or_path") or "").rpartition("/")[2]
            name = path_name or str(config["model_type"])
        return cls(
            name=name,
            source=source,
            sure="checked",
            parameters=parameters,
            active_parameters=active_parameters,
            **shape,
        )

    @overload
    def cache_bytes(self, tokens: int, bits: int = ...) -> int: ...
    @overload
    def cache_bytes(self, tokens: float, bits: int = ...) -> float: ...
    @overload
    def cache_bytes(self, tokens: Values, bits: int = ...) -> float | Array: ...
    def cache_bytes(self, tokens: Values, bits: int = 16) -> float | Array:
        """Bytes of KV cache that `tokens` tokens of one sequence take, `bits` per element.

        `tokens` is 0 or more: a whole number gives a whole number, exact; a float or a NumPy
        array gives float64. `bits` is 16, 8 or 4 (scales that a quantized cache stores beside
        its elements are left out). Raises ValueError for values out of range, TypeError for
        wrong types. Formula: elements per token and layer x (full layers x tokens + windowed
        layers x min(tokens, window)) x bits / 8, where the elements are kv_heads x (key + value
        dimension), or latent_dim.
        """
        if not isinstance(bits, int) or isinstance(bits, bool) or bits not in BITS:
            raise ValueError(f"bits must be 16, 8 or 4, not {shown(bits)}")
        kept = self._kept(tokens)
        if isinstance(kept, int):
            return -(-self.elements * kept * bits // 8)
        return kept * (self.elements * bits / 8)

    @property
    def elements(self) -> int:
        """Elements that one token keeps in one layer: keys and values, or the latent vector."""
        if self.latent_dim is not None:
            return self.latent_dim
        return (self.kv_heads or 0) * (self.head_dim + self.value_size)

    @property
    def value_size(self) -> int:
        """Elements of a value head."""
        return self.value_dim or self.head_dim

    @property
    def full_layers(self) -> int:
        """Layers that keep all tokens."""
        return self.layers - self.windowed_layers

    def _kept(self, tokens: Values) -> float | Array:
        """Return the tokens kept, added up over the layers; whole for a whole number."""
        checked = numbers("tokens", tokens)
        kept = int(tokens) if isinstance(tokens, int | np.integer) else checked
        return self.full_layers * kept + self.windowed_layers * at_most(kept, self.window or 0)


def at_most(values: float | Array, limit: float) -> float | Array:
    """Cut a scalar or an array off at `limit`; a scalar keeps its Python type."""
    return np.minimum(values, limit) if isinstance(values, np.ndarray) else min(values, limit)


@dataclass(frozen=True, kw_only=True)
class Device(Entry):
    """A device that prefills: peak **dense** bf16 TFLOP/s, memory in GB, its bandwidth in GB/s.

    `host_link` names the entry of `LINKS` that joins it to the memory of its host, if there is one.
    """

    bf16_tflop_per_s: float
    memory_gb: float
    memory_gb_per_s: float
    host_link: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._in_range("bf16_tflop_per_s", 0.01, 1e5, "TFLOP/s")
        self._in_range("memory_gb", 1, 1e5, "GB")
        self._in_range("memory_gb_per_s", 1, 1e5, "GB/s")
        if self.host_link is not None:
            instance("host_link", self.host_link, str)


@dataclass(frozen=True, kw_only=True)
class Link(Entry):
    """A link to slower memory, one way: nominal GB/s, and what copies were seen to achieve.

    `source` and `sure` are about the nominal figure, `achieved_source` and `achieved_sure` about
    the achieved one. Where it was measured, a copy takes `launch_us` microseconds to start and an
    event `fixed_ms`, and `points` are measured times one way: (copies, bytes in all, ms).
    """

    nominal_gb_per_s: float
    achieved_gb_per_s: float | None = None
    achieved_source: str = ""
    achieved_sure: Sure | None = None
    launch_us: float | None = None
    fixed_ms: float = 0.0
    points: tuple[tuple[float, float, float], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._in_range("nominal_gb_per_s", 0.01, 1e4, "GB/s")
        if self.launch_us is not None:
            self._in_range("launch_us", 0, 1e6, "µs")
        self._in_range("fixed_ms", 0, 1e4, "ms")
        _check_points(self.points, "copies", "bytes", "ms")
        if self.achieved_gb_per_s is None:
            if self.achieved_source or self.achieved_sure:
                raise ValueError(
                    "achieved_source and achieved_sure must come with achieved_gb_per_s, not alone"
                )
            return
        self._in_range("achieved_gb_per_s", 0.01, self.nominal_gb_per_s, "GB/s")
        instance("achieved_source", self.achieved_source, str)
        if not self.achieved_source.strip():
            raise ValueError("achieved_source is empty")
        choice("achieved_sure", self.achieved_sure, get_args(Sure))

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """What to reckon with: the achieved bandwidth where it is known, else the nominal."""
        return 1e9 * (self.achieved_gb_per_s or self.nominal_gb_per_s)


@dataclass(frozen=True, kw_only=True)
class Profile(Entry):
    """Measured prefill of a model on some devices.

    `points` are the measured (tokens, ms); max(floor_ms, start_ms + ms_per_token x tokens) is a
    fit to them, without the attention itself; if attention was measured too, it is
    `ms_per_token2` x tokens^2, and in the points. `model` and `devices` are names of entries.
    """

    model: str
    devices: tuple[str, ...]
    floor_ms: float
    start_ms: float
    ms_per_token: float
    ms_per_token2: float | None = None
    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._in_range("floor_ms", 0, 1e6, "ms")
        self._in_range("start_ms", 0, 1e6, "ms")
        self._in_range("ms_per_token", 1e-6, 1e4, "ms per token")
        if self.ms_per_token2 is not None:
            self._in_range("ms_per_token2", 0, 100, "ms per token^2")
        instance("model", self.model, str)
        instance("devices", self.devices, tuple)
        _check_points(self.points, "tokens", "ms")


EntryT = TypeVar("EntryT", bound=Entry)


class Catalogue(dict[str, EntryT]):
    """Entries of a kind by name. `[name]` forgives upper and lower case, and says what there is."""

    def __init__(self, kind: type[EntryT]) -> None:
        super().__init__()
        self.kind = kind

    def __missing__(self, name: str) -> EntryT:
        for known, entry in self.items():
            if known.casefold() == str(name).casefold():
                return entry
        raise KeyError(f"{name!r} is not in the catalogue; known are {', '.join(self)}")

    def add(self, entry: EntryT) -> EntryT:
        """Add an entry of your own, and return it.

        Raises ValueError if its name is taken, TypeError if it is of another kind.
        """
        instance("an entry here", entry, self.kind)
        if any(known.casefold() == entry.name.casefold() for known in self):
            raise ValueError(f"the name {entry.name!r} is taken")
        self[entry.name] = entry
        return entry


def load(path: Path, kind: type[EntryT]) -> Catalogue[EntryT]:
    """Read a catalogue file (TOML): an array of tables named after `kind`, a table per entry.

    Keys are the fields of `kind` and carry their units. Raises ValueError that names the file
    and the entry: a key that `kind` has not (so also another unit), a missing key, a value of a
    wrong type or out of range, a name that is there twice.
    """
    return _read(path, [kind])[0]


def _read(path: Path, kinds: Sequence[type[Any]]) -> list[Catalogue[Any]]:
    """Read a file with entries of these kinds, a catalogue for each."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} is not a TOML file: {error}") from None
    keys = [kind.__name__.lower() for kind in kinds]
    good = document.keys() <= set(keys) and all(map(_is_list, document.values()))
    if not document or not good:
        only = " and ".join(f"[[{key}]]" for key in keys)
        raise ValueError(f"{path.name} must hold entries {only} only, not {', '.join(document)}")
    return [
        _catalogue(path, kind, document.get(key, [])) for kind, key in zip(kinds, keys, strict=True)
    ]


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _catalogue(path: Path, kind: type[EntryT], tables: Sequence[object]) -> Catalogue[EntryT]:
    catalogue = Catalogue(kind)
    for number, table in enumerate(tables, start=1):
        try:
            catalogue.add(_entry(kind, table))
        except (ValueError, TypeError) as error:
            name = table.get("name", "no name") if isinstance(table, dict) else table
            raise ValueError(f"{path.name}, entry {number} ({name}): {error}") from None
    return catalogue


def _entry(kind: type[EntryT], table: object) -> EntryT:
    if not isinstance(table, dict):
        raise TypeError("an entry must be a table")
    keys = {field.name: field.default is MISSING for field in fields(kind)}
    if unknown := table.keys() - keys.keys():
        raise ValueError(f"unknown key {', '.join(sorted(unknown))}; known are {', '.join(keys)}")
    if missing := [key for key, required in keys.items() if required and key not in table]:
        raise ValueError(f"{', '.join(missing)} is missing")
    return kind(**{key: _frozen(value) for key, value in table.items()})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


_DATA = Path(__file__).parent / "data"
MODELS = load(_DATA / "models.toml", Model)
LINKS = load(_DATA / "links.toml", Link)
DEVICES = load(_DATA / "devices.toml", Device)
PROFILES = load(_DATA / "profiles.toml", Profile)


def read_own(path: str | os.PathLike[str]) -> tuple[Entry, ...]:
    """Read devices, links and profiles from a file that `preemption.costs.measure` has written.

    Raises ValueError as `load` does.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the path of a file, not {shown(path)}")
    found = _read(Path(path), [Device, Link, Profile])
    return tuple(entry for catalogue in found for entry in catalogue.values())


def add_own(entries: Sequence[Entry]) -> None:
    """Add devices, links and profiles of one's own to the catalogues.

    They replace own ones of the same name. Raises ValueError where a published entry has that
    name, TypeError for another kind of entry; then none is added.
    """
    catalogues: dict[type, Catalogue[Any]] = {Device: DEVICES, Link: LINKS, Profile: PROFILES}
    if not isinstance(entries, tuple | list):
        raise TypeError(f"entries must be a list, not {shown(entries)}")
    for entry in entries:
        if type(entry) not in catalogues:
            raise TypeError(f"entries must be devices, links or profiles, not {shown(entry)}")
        for known in catalogues[type(entry)].values():
            if known.name.casefold() == entry.name.casefold() and not known.own:
                raise ValueError(
                    f"entries must not be named as a published one: {entry.name!r} is taken"
                )
    for entry in entries:
        catalogues[type(entry)][entry.name] = entry


def profile_of(model: Model, device: Device) -> Profile | None:
    """Return the measured prefill of this model on this device, if there is one."""
    instance("model", model, Model)
    instance("device", device, Device)
    for profile in PROFILES.values():
        if profile.model == model.name and device.name in profile.devices:
            return profile
    return None
