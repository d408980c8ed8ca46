"""Counts the tokens of a plain run: scheduled, lost, found, recomputed; `fast` has its own."""

from preemption.serving.scheduler import Decision
from preemption.serving.sequence import Seq


class Tally:
    """What the iterations so far did. `add` takes a decision before it is carried out."""

    def __init__(self) -> None:
        self.scheduled_tokens = 0
        self.preemptions = 0
        self.lost_tokens = 0
        self.found_tokens = 0
        self.recomputed_tokens = 0
        self.skipped_tokens = 0
        self.moved_tokens = 0
        self.loaded_tokens = 0
        self.reached: dict[Seq, int] = {}  # most tokens that a victim ever had computed or found
        self.catching_up: set[Seq] = set()  # running, and not there yet

    def add(self, decision: Decision) -> int:
        """Count what an iteration does; return the tokens that it schedules."""
        tokens = sum(decision.scheduled.values())
        self.scheduled_tokens += tokens
        self.moved_tokens += decision.moved_tokens
        self.loaded_tokens += decision.loaded_tokens
        if not (decision.preempted or decision.admitted or self.catching_up):
            return tokens
        for seq, event in decision.preempted:
            self.preemptions += 1
            self.lost_tokens += event.computed_tokens if event.how == "recompute" else 0
            self.reached[seq] = max(self.reached.get(seq, 0), event.computed_tokens)
            self.catching_up.discard(seq)
        for seq, prefix in decision.admitted.items():
            reached = self.reached.get(seq, 0)
            self.found_tokens += prefix.tokens
            self.skipped_tokens += max(0, seq.computed - reached)
            if seq.computed < reached:
                self.catching_up.add(seq)
        for seq in self.catching_up & decision.scheduled.keys():
            missing, n = self.reached[seq] - seq.computed, decision.scheduled[seq]
            self.recomputed_tokens += min(n, missing)
            if n >= missing:
                self.catching_up.discard(seq)
        return tokens
