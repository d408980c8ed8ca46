"""Write docs/field-guide.md from the data of the field guide: python -m tests.studies.guide."""

from pathlib import Path

from preemption import studies

GUIDE = Path(__file__).parents[2] / "docs" / "field-guide.md"
TITLE = """\
# Field guide to preemption

Faults and other troubles of real servers: how to see each, why it is so, which knob ends it. Made
from `preemption/studies/data/field_guide.toml`, by `python -m tests.studies.guide`; notebook 6
repeats the first seven small. *No report*: no public thread is known to us, which is no promise.
Settings of SGLang are those of its [tuning
guide](https://docs.sglang.io/advanced_features/hyperparameter_tuning.html), those of TensorRT-LLM
of its [runtime options](https://nvidia.github.io/TensorRT-LLM/performance/performance-tuning-guide/useful-runtime-flags.html).

"""


def guide():
    """Return the field guide as a page of its own."""
    return TITLE + studies.field_guide()


if __name__ == "__main__":
    GUIDE.write_text(guide(), encoding="utf-8")
