"""Settings of machines to try explorers at, and what tests read of an explorer."""

import numpy as np
import pytest

OPT = {"model": "OPT-13B", "device": "A100 40 GB SXM"}


DEEPSEEK = {"model": "DeepSeek-V3", "device": "H100 SXM", "link": "PCIe 5.0 x16"}


GEMMA = {"model": "Gemma-3-1B", "link": "NVMe (PCIe 4.0 x4)"}


MACHINES = [
    {},
    OPT,
    DEEPSEEK,
    GEMMA,
    {"tokens": 1, "cache_layout": "block"},
    {"tokens": 1_000_000, "round_trip": False},
    {"block_tokens": 1, "measured": False, "efficiency_percent": 100},
    {"fixed_ms": 20, "launch_us": 0, "bits": 4},
    {"model": "Qwen3-0.6B", "device": "MI300X", "link": "NVMe (PCIe 4.0 x4)"},
    {
        "model": "Llama-3.1-405B",
        "device": "CPU (Xeon 8480+)",
        "link": "NVLink 4",
        "efficiency_percent": 5,
    },
]


def name(settings):
    return ", ".join(f"{value}" for value in settings.values()) or "defaults"


of_machines = pytest.mark.parametrize("settings", MACHINES, ids=name, scope="module")


of_kinds = pytest.mark.parametrize("kind", ["full", "linear"], scope="module")


def data(line):
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def cost_ms(explorer):
    return {
        "recompute_ms": explorer.recompute.ms(explorer.tokens),
        "swap_ms": explorer.copy.ms(explorer.tokens),
    }


def vars_of(copy):
    return {field: getattr(copy, field) for field in copy.__dataclass_fields__}
