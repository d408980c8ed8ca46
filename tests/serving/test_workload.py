"""Requests, Azure-shaped loads against the real trace's figures, and the trace reader."""

import sys
from statistics import fmean

import numpy as np
import pytest

from preemption import serving
from preemption.serving import Request, azure_shaped, quantiles, read_trace
from tests.serving.scheduler_loads import AZURE, NO_AZURE

# Of the real trace: requests/s, then p50, p90, p99 and mean of the prompts and of the outputs.
REAL = {
    "conversation": (5.53, (1020, 2734, 4142, 1154.7), (129, 424, 601, 211.1)),
    "code": (2.567, (1469, 5188, 7436, 2047.8), (13, 55, 251, 27.9)),
}


def figures(tokens):
    return [*np.percentile(tokens, [50, 90, 99]), fmean(tokens)]


@pytest.mark.parametrize("minutes", [5, 60])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", REAL)
def test_azure_shaped_is_within_a_tenth_of_the_real_trace(kind, seed, minutes):
    rate, prompt, output = REAL[kind]
    load = azure_shaped(seed, minutes, kind)
    assert len(load) / (60 * minutes) == pytest.approx(rate, rel=0.1)
    assert figures([request.prompt_tokens for request in load]) == pytest.approx(prompt, rel=0.1)
    assert figures([request.output_tokens for request in load]) == pytest.approx(output, rel=0.1)
    arrivals = [request.arrival_ms for request in load]
    assert arrivals == sorted(arrivals)
    assert 0 <= arrivals[0] < arrivals[-1] < 60_000 * minutes


def test_azure_shaped_repeats_itself_for_a_seed_only():
    assert azure_shaped(7, 1) == azure_shaped(7, 1, "conv") == azure_shaped(7, 1, "conversation")
    assert azure_shaped(7, 1) != azure_shaped(8, 1)
    assert [request.id for request in azure_shaped(0, 0.1)] == list(range(33))


@pytest.mark.parametrize("kind", REAL)
def test_the_table_is_that_of_the_real_trace(kind):
    table = quantiles(kind)
    if not (AZURE / table["file"]).exists():
        pytest.skip(NO_AZURE)
    load = read_trace(AZURE / table["file"])
    assert len(load) == table["requests"]
    assert len(load) / load[-1].arrival_ms * 1000 == pytest.approx(
        table["requests_per_s"], rel=1e-4
    )
    for name in ("prompt", "output"):
        tokens = [getattr(request, f"{name}_tokens") for request in load]
        assert np.rint(np.percentile(tokens, table["percent"])).tolist() == table[name]
        assert round(fmean(tokens), 1) == table[f"{name}_mean"]
        *real, mean = REAL[kind][1 if name == "prompt" else 2]
        assert [round(value) for value in figures(tokens)[:3]] == real
        assert table[f"{name}_mean"] == mean


def test_azure_shaped_refuses_what_it_cannot_make():
    with pytest.raises(ValueError, match='kind must be "conversation", "code" or "conv", not '):
        azure_shaped(0, 1, "chat")
    with pytest.raises(ValueError, match="minutes must be finite and above 0, not 0"):
        azure_shaped(0, 0)
    with pytest.raises(TypeError, match=r"seed must be a whole number, not 1\.5"):
        azure_shaped(1.5, 1)


TRACE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 23:59:59.9000000,374,44
2023-11-17 00:00:00.0000001,396,109
2023-11-17 00:01:30.9,10,5"""


def test_read_trace_counts_arrivals_in_ms_from_the_first(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    first, second, third = read_trace(path)
    assert first == Request(0, 0.0, 374, 44)
    assert second == Request(1, 100.0001, 396, 109)
    assert second.arrival_ns == 100_000_100
    assert third == Request(2, 91_000.0, 10, 5)
    assert read_trace(path, minutes=1) == [first, second]


def test_read_trace_refuses_another_file(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(
        ValueError, match=r"other.csv is not an Azure .* its columns are \['a', 'b'"
    ):
        read_trace(path)
    for not_text in (b"\xff\xfe\x00", TRACE.encode() + b"\n\xff", b"x" * 200_000):
        path.write_bytes(not_text)
        with pytest.raises(ValueError, match=r"other\.csv is not an Azure"):
            read_trace(path)
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "none.csv")


@pytest.mark.parametrize("path", [True, 0, 1.5, None, b"trace.csv", ["trace.csv"]])
def test_read_trace_takes_a_path_and_no_descriptor(path):
    with pytest.raises(TypeError, match="str"):
        read_trace(path)


def test_the_first_minutes_are_read_to_their_end(tmp_path):
    path = tmp_path / "trace.csv"
    at = ["00:00.0", "01:59.9999999", "02:00.0", "02:59.9999999", "03:00.0"]
    rows = [f"2023-11-16 00:{time},1,1" for time in at]
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + "\n".join(rows))
    assert [len(read_trace(path, minutes)) for minutes in (1, 2, 3, 3.5)] == [1, 2, 4, 5]
    assert len(read_trace(path)) == 5
    for bad, error in ((0, ValueError), (float("nan"), ValueError), (True, TypeError)):
        with pytest.raises(error, match="minutes must be"):
            read_trace(path, bad)


@pytest.mark.parametrize("kind", ["conversation", "code"])
@pytest.mark.parametrize("minutes", [1, 3, 10])
def test_arrivals_fill_every_minute(kind, minutes):
    arrivals = [request.arrival_ms for request in azure_shaped(0, minutes, kind)]
    in_minute = [sum(m <= at / 60_000 < m + 1 for at in arrivals) for m in range(minutes)]
    assert sum(in_minute) == len(arrivals)
    assert min(in_minute) > 0.7 * len(arrivals) / minutes
    assert 59_000 < max(arrivals) - 60_000 * (minutes - 1) < 60_000


@pytest.mark.parametrize(
    "row",
    [
        "2023-11-17 00:02:00.0,10",
        "2023-11-17 00:02:00.0,10,many",
        "2023-11-17 00:02:00.0,10,0",
        "2023-11-17 00:02:00.12345678,10,5",
        "2023-11-17 00:02:00.0+00:00,10,5",
        "2023-11-17 00:02:00+00:00,10,5",
        "2023-11-16 00:00:00.0,10,5",
        "noon,10,5",
    ],
)
def test_read_trace_names_the_line_that_it_cannot_read(tmp_path, row):
    path = tmp_path / "trace.csv"
    path.write_text(f"{TRACE}\n{row}\n")
    with pytest.raises(ValueError, match=r"trace\.csv, line 5, \["):
        read_trace(path)


class Pooch:
    """Stands in for pooch, which is optional, and for the network, which tests do not use."""

    def __init__(self, outcome):
        self.outcome = outcome

    def retrieve(self, url, known_hash):
        self.asked = url, known_hash
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def test_fetch_trace_asks_for_the_file_and_its_hash(monkeypatch, tmp_path):
    pooch = Pooch(str(tmp_path / "code.csv"))
    monkeypatch.setitem(sys.modules, "pooch", pooch)
    assert serving.fetch_trace("code") == tmp_path / "code.csv"
    url, known_hash = pooch.asked
    assert url.endswith("/data/AzureLLMInferenceTrace_code.csv")
    assert known_hash == "sha256:" + quantiles("code")["sha256"]


def test_fetch_trace_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(RuntimeError, match="pip install pooch"):
        serving.fetch_trace()
    monkeypatch.setitem(sys.modules, "pooch", Pooch(ConnectionError("no route")))
    with pytest.raises(RuntimeError, match=r"could not be fetched; is this machine offline\?"):
        serving.fetch_trace()
    monkeypatch.setitem(sys.modules, "pooch", Pooch(ValueError("SHA256 does not match")))
    with pytest.raises(ValueError, match="SHA256"):
        serving.fetch_trace()


def test_loads_made_by_hand():
    assert serving.crowd(2, prompt_tokens=3, output_tokens=4, every_ms=5) == [
        Request(0, 0.0, 3, 4),
        Request(1, 5.0, 3, 4),
    ]
    assert serving.crowd(0, prompt_tokens=3, output_tokens=4) == []
    assert [(r.prompt_tokens, r.output_tokens) for r in serving.two()] == [(32, 40), (32, 40)]
    assert len(serving.eight()) == 8


def test_numbers_of_other_types_become_python_numbers():
    request = Request("a", np.float32(0.5), np.int64(3), np.int32(4), np.int8(-1))
    assert request == Request("a", 0.5, 3, 4, -1)
    assert [type(value) for value in (request.arrival_ms, request.prompt_tokens)] == [float, int]
    assert type(Request(np.int64(3), 0, 1, 1).id) is int
    assert Request(0, 1e50, 1, 1).arrival_ns == int(1e50) * 10**6


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ((0, 0, 0, 1), ValueError, "prompt_tokens of request 0 must be 1 or more, not 0"),
        (("b", 0, 1, -1), ValueError, "output_tokens of request 'b' must be 1 or more, not -1"),
        ((0, 0, 1.5, 1), TypeError, "prompt_tokens of request 0 must be a whole number, not 1.5"),
        ((0, 0, 1, True), TypeError, "output_tokens of request 0 must be a whole number, not True"),
        ((0, 0, 1, 1, "high"), TypeError, "priority of request 0 must be a whole number"),
        ((0, -1, 1, 1), ValueError, "arrival_ms of request 0 must be finite and 0 or more, not -1"),
        ((0, float("nan"), 1, 1), ValueError, "arrival_ms of request 0 must be finite .*, not nan"),
        ((0, "0", 1, 1), TypeError, "arrival_ms of request 0 must be a number, not '0'"),
        ((0, 10**400, 1, 1), ValueError, r"arrival_ms of request 0 must be at most 1e\+50"),
        ((1.0, 0, 1, 1), TypeError, "id, if it is no text, must be a whole number, not 1.0"),
        ((True, 0, 1, 1), TypeError, "id, if it is no text, must be a whole number, not True"),
    ],
)
def test_a_bad_request_is_refused(values, error, message):
    with pytest.raises(error, match=message):
        Request(*values)


@pytest.mark.parametrize(
    ("group", "tokens", "error", "message"),
    [
        (
            0,
            11,
            ValueError,
            "prefix_tokens of request 7 must not be more than its prompt_tokens",
        ),
        (0, -1, ValueError, "prefix_tokens of request 7 must be 0 or more, not -1"),
        (0, 1.5, TypeError, "prefix_tokens of request 7 must be a whole number, not 1.5"),
        (0, 0, ValueError, "prefix_group and prefix_tokens of request 7 must be given together"),
        (None, 4, ValueError, "must be given together, not None and 4"),
        (1.5, 4, TypeError, "prefix_group of request 7, if it is no text, must be a whole number"),
    ],
)
def test_a_bad_prefix_is_refused(group, tokens, error, message):
    with pytest.raises(error, match=message):
        Request(7, 0, 10, 1, prefix_group=group, prefix_tokens=tokens)


def test_a_prefix_may_be_the_whole_prompt():
    request = Request(7, 0, 10, 1, prefix_group=np.int64(3), prefix_tokens=np.int8(10))
    assert request == Request(7, 0, 10, 1, prefix_group=3, prefix_tokens=10)
    assert [type(value) for value in (request.prefix_group, request.prefix_tokens)] == [int, int]
