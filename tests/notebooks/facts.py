"""Numbers in the notebooks' texts that come from outside: the phrase, and its source.

"example" marks a number that is an input chosen for the lesson.
"""

A100 = (
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
    "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf"
)
LLAMA_3_8B = "https://huggingface.co/meta-llama/Meta-Llama-3-8B"
PCIE_4 = (
    "https://forums.developer.nvidia.com/t/asymmetric-pcie-bandwidth-in-bidirectional-transfers-"
    "h2d-drops-56-while-d2h-maintains-performance/352186"
)

FACTS: list[tuple[str, str, str]] = [
    ("01_preemption", "*15 minutes.*", "example: reading time"),
    ("01_preemption", "one request of 1,000 cached tokens", "example"),
    ("01_preemption", "1,000 tokens cost", "example"),
    ("01_preemption", "For 1,000 tokens and for 10,000", "example"),
    ("01_preemption", "At 1 GB/s", "example"),
    ("01_preemption", "section 7.3", "https://arxiv.org/abs/2309.06180"),
    ("01_preemption", "peak of 312 TFLOP/s", A100),
    ("01_preemption", "8.03 billion operations", LLAMA_3_8B),
    ("01_preemption", "24.8 GB/s were [measured]", PCIE_4),
    ("01_preemption", "PCIe 4.0", "by definition: a name"),
]
