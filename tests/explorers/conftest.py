"""Explorers at settings, one of each kind: building one takes longer than to change it."""

from functools import partial

import pytest

from preemption import BlockExplorer, CrossoverMapExplorer, MachineExplorer, MixExplorer
from tests.explorers.machines import OPT

MACHINE_EXPLORERS = {
    "full": MachineExplorer,
    "linear": partial(MachineExplorer, linear=True),
    "map": CrossoverMapExplorer,
    "blocks": partial(BlockExplorer, **OPT),
    "mix": MixExplorer,
}


@pytest.fixture(scope="session")
def made():
    return {}


@pytest.fixture
def use(made):
    """Give the explorer of a kind, a name from above or a class, at these settings."""

    def changed(kind, settings=None, **others):
        if kind not in made:
            made[kind] = MACHINE_EXPLORERS.get(kind, kind)()
        explorer, wanted = made[kind], (settings or {}) | others
        if not wanted or explorer.settings != explorer._defaults() | wanted:
            explorer.reset()
            explorer.change(**wanted)
        return explorer

    return changed
