"""Every function with every bad value in the place of every argument: what is refused, and how."""

import inspect
import math

import numpy as np

from preemption.costs import DEVICES, MODELS, Copy, Recompute


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


MODEL, DEVICE = MODELS["Llama-3-8B"], DEVICES["A100 80 GB SXM"]
RECOMPUTE = Recompute.of(MODEL, DEVICE)
COPY = Copy(model=MODEL, bandwidth_bytes_per_s=25e9)

VALUES = {
    "a text": "Llama-3-8B",
    "None": None,
    "True": True,
    "NaN": math.nan,
    "infinity": math.inf,
    "-infinity": -math.inf,
    "-1": -1,
    "-0.5": -0.5,
    "1.5": 1.5,
    "1e301": 1e301,
    "10**400": 10**400,
    "-10**400": -(10**400),
    "10**5000": 10**5000,
    "1e-301": 1e-301,
    "2j": 2j,
    "bytes": b"25",
    "a dict": {},
    "nested": nested(100_000),
    "texts": np.array(["1", "2"]),
    "NaNs": np.array([1.0, math.nan]),
    "a function": len,
    "a model": MODEL,
    "a device": DEVICE,
    "a recompute": RECOMPUTE,
    "a copy": COPY,
}
# What is no bad value in the place of an argument of these kinds.
NUMBER = {"1.5", "1e-301"}
POSITIVE = {"1.5"}
COUNT = set()
WHOLE = {"-1", "10**400", "-10**400", "10**5000"}
FLAG = {"True"}
TEXT = {"a text"}
NONE = {"None"}


def places(examples):
    """Each argument of each example, which is a function, right arguments, and their kinds."""
    return [(title, name) for title, (_, arguments, _) in examples.items() for name in arguments]


def taken(example, name):
    """The values that are bad for an argument and yet taken, or refused without a clear word."""
    call, arguments, kinds = example
    call(**arguments)
    found = {}
    for label in VALUES.keys() - kinds.get(name, set()):
        try:
            found[label] = call(**{**arguments, name: VALUES[label]})
        except (TypeError, ValueError) as error:
            if name not in str(error).lower() or len(str(error)) > 600:
                found[label] = error
        except Exception as error:
            found[label] = error
    return found


def callables(door):
    """The names of all that a door gives to be called."""
    return {name for name in door.__all__ if inspect.isroutine(getattr(door, name))} | {
        name for name in door.__all__ if inspect.isclass(getattr(door, name))
    }
