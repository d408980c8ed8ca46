"""What a toy model writes is the same with and without preemption, and not if something is lost."""

import pytest

from preemption import serving
from preemption.serving import RunSettings, SchedulerConfig, outputs_of, run_fault, simulate_plain

ROOMY = SchedulerConfig(16, 2_000, 64, 8)
LOGGED = RunSettings(log=True)


def unlimited(requests):
    return outputs_of(simulate_plain(requests, ROOMY, LOGGED))


@pytest.mark.parametrize("rule", serving.RULES)
@pytest.mark.parametrize("resume", ["recompute", "swap"])
@pytest.mark.parametrize("caching", [False, True])
def test_preemption_changes_no_output(rule, resume, caching):
    config = SchedulerConfig(16, 16, 64, 8, enable_prefix_caching=caching)
    settings = RunSettings(victim=rule, resume=resume, log=True)
    result = simulate_plain(serving.eight(), config, settings)
    assert result.preemptions > 0
    written = outputs_of(result)
    assert written == unlimited(serving.eight())
    for request in serving.eight():
        assert len(set(written[request.id])) == len(written[request.id]) == request.output_tokens


def test_what_was_lost_shows():
    lost, kept = (run_fault("victim returns", broken=broken) for broken in (True, False))
    assert outputs_of(kept) == unlimited(kept.requests)
    due, written = unlimited(lost.requests), outputs_of(lost)
    assert [name for name in due if written[name] != due[name]]


def test_a_log_must_be_whole():
    result = simulate_plain(serving.eight(), ROOMY, RunSettings(log=range(3)))
    with pytest.raises(ValueError, match="the log must be whole, not 3 of"):
        outputs_of(result)
