"""A request in the scheduler, with the state that changes."""

from preemption.serving.workload import Request


class Seq:
    """A request and how far it is.

    `tokens` are prompt and generated ones so far (vLLM: num_tokens), `computed` those whose cache
    exists, in the pool or, while it waits, in swap space (num_computed_tokens).
    """

    __slots__ = (
        "blocks",
        "computed",
        "end",
        "keyed",
        "order",
        "place",
        "preempted",
        "prefill",
        "request",
        "table",
        "tokens",
        "under_way",
    )

    def __init__(self, request: Request, order: int, longest: int | None = None) -> None:
        self.request = request
        self.order = order  # of arrival
        self.tokens = request.prompt_tokens
        self.under_way = 0  # of these, sampled but not known yet: only with asynchronous scheduling
        self.computed = 0
        self.prefill = request.prompt_tokens  # computed below this: prefill, from it on: decode
        # Tokens at which it is finished: `longest` at the latest. So vLLM's cut of a running
        # request's tokens to max_model_len never bites, and the scheduler does without it.
        self.end = request.prompt_tokens + request.output_tokens
        if longest is not None:
            self.end = min(self.end, longest)
        self.blocks = 0  # blocks held; the pool counts them
        self.table: list[int] = []  # and, with prefix caching, knows them by id
        self.keyed = 0  # how many of these can be found
        self.place: tuple[int, int] = (0, order)  # in the queue, smallest first
        self.preempted = False  # at least once
