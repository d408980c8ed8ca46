"""A machine that is none: it works as a formula says, on a clock that passes only meanwhile."""

import math
import time


def prefill_ms(n, floor=9.7, start=7.7, slope=0.066, square=1.7e-6):
    return max(floor, start + slope * n) + square * n * n


class Clock:
    """Time passes only as the machine works; from `stalls_at` on it stands still."""

    def __init__(self, stalls_at=math.inf):
        self.s, self.stalls_at = 0.0, stalls_at

    def __call__(self):
        return min(self.s, self.stalls_at)

    def passes(self, ms):
        self.s += 1e-3 * ms


class Machine:
    """Works as a formula says, a layer in `layer_ms`, and counts how it is used."""

    note = ""
    name, versions, memory_bytes, weight_bytes = "a machine", "none", 80e9, 2

    def __init__(self, clock, *, memory_tokens=math.inf, remarks=()):
        self.clock, self.memory_tokens, self.remarks = clock, memory_tokens, remarks
        self.calls = []
        self.stores = [self]
        self.ways = ("out", "back", "both at once")

    def works(self, ms, what):
        self.calls.append(what)
        self.clock.passes(ms)

    def product(self):
        return 1e12, lambda: self.works(1e12 / 156e9, "product")  # 156 TFLOP/s

    def within(self, n_bytes):
        return lambda: self.works(2 * n_bytes / 2e9, "within")  # 2,000 GB/s

    def decoder(self, model, layers, mlp):
        self.mlp = mlp

        def prefill(tokens):
            if tokens > self.memory_tokens:
                raise MemoryError("no room")
            self.works(prefill_ms(tokens) * layers / model.layers, ("prefill", tokens))

        return prefill

    def copier(self, way, pool_bytes):
        def action(copies, copy_bytes):
            assert copies * copy_bytes <= pool_bytes
            return lambda: self.works(6e-3 * copies + copies * copy_bytes / 25e6, (way, copies))

        return action

    def noticed(self):
        return self.remarks


class RealClock:
    """The machine sleeps as long as it would work."""

    def __call__(self):
        return time.perf_counter()

    def passes(self, ms):
        time.sleep(1e-3 * ms)
