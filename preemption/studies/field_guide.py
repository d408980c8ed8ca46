"""The field guide: what users see, how to make sure, why it is so, and which knob ends it."""

import tomllib
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, kw_only=True)
class GuideRow:
    """A fault as it is met. Backquotes mark names of settings and metrics."""

    title: str
    symptom: str
    metric: str
    log: str
    """What the log says; where no engine writes such a line, what it would have to say."""
    cause: str
    vllm: str
    sglang: str
    tensorrt_llm: str
    trade_off: str
    sources: tuple[tuple[str, str], ...]
    """Public threads and guides: what they are called, and their addresses."""


def _rows() -> dict[str, GuideRow]:
    file = resources.files("preemption.studies").joinpath("data", "field_guide.toml")
    return {
        name: GuideRow(**row | {"sources": tuple(map(tuple, row["sources"]))})
        for name, row in tomllib.loads(file.read_text("utf-8")).items()
    }


FIELD_GUIDE = _rows()
"""The rows by name; those of the faults of `serving.FAULTS` have their names."""


def field_guide() -> str:
    """Return the guide in Markdown, a heading and a list for each row."""
    return "\n".join(
        f"### {row.title}\n\n"
        f"- **Symptom**: {row.symptom}\n"
        f"- **Metric**: {row.metric}\n"
        f"- **Log**: {row.log}\n"
        f"- **Cause**: {row.cause}\n"
        f"- **vLLM**: {row.vllm}. **SGLang**: {row.sglang}. **TensorRT-LLM**: {row.tensorrt_llm}.\n"
        f"- **Trade-off**: {row.trade_off}\n"
        f"- **Source**: {', '.join(f'[{name}]({url})' for name, url in row.sources)}\n"
        for row in FIELD_GUIDE.values()
    )
