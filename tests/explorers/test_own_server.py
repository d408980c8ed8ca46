"""A server of the reader: two scrapes pasted, and what is said about them."""

import pytest

from preemption import OwnServer, studies
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute

FIRST, SECOND = studies.example_scrapes()


@pytest.fixture(scope="module")
def made():
    return OwnServer()


@pytest.fixture
def server(made):
    values = (FIRST, SECOND, 60, "Llama-3-8B", "A100 80 GB SXM", "PCIe 4.0 x16")
    for control, value in zip(made._controls, values, strict=True):
        control.value = value
    made._told = {}
    made.show()
    return made


def said(server):
    return " ".join(server._lines)


def test_the_examples_are_there_and_said_to_be_by_hand(server):
    assert server.first.value.startswith("# Written by hand")
    assert server.second.value.startswith("# Written by hand")
    assert "vLLM: 36 preemptions per minute" in said(server)
    assert "30 running, 15 waiting, 8 more at the second scrape" in said(server)
    assert studies.FIELD_GUIDE["cliff"].title in said(server)
    assert studies.FIELD_GUIDE["cliff"].title in server._guide.value


@pytest.mark.parametrize(
    ("model", "device", "link"),
    [
        ("Llama-3-8B", "A100 80 GB SXM", "PCIe 4.0 x16"),
        ("OPT-13B", "H100 SXM", "NVMe (PCIe 4.0 x4)"),
    ],
)
def test_costs_are_those_of_the_chosen_machine(server, model, device, link):
    server.model.value, server.device.value, server.link.value = model, device, link
    interval = studies.between(studies.read_scrape(FIRST), studies.read_scrape(SECOND), 60)
    recompute = Recompute.of(MODELS[model], DEVICES[device])
    copy = Copy(model=MODELS[model], bandwidth_bytes_per_s=LINKS[link].bandwidth_bytes_per_s)
    cost = studies.preempting(interval, recompute, copy)
    text = said(server)
    for time_ms in (cost.recompute_ms, *cost.again_ms, cost.swap_ms, *cost.swap_again_ms):
        assert f"{float(f'{time_ms:.3g}'):,g} ms" in text
    assert f"over {link}" in text
    low, high = (float(f"{100 * share:.2g}") for share in cost.busy)
    assert f"That is {low:g} to {high:g}% of the server's time" in text


def test_the_cheaper_way_counts_what_is_found_again(server):
    assert "or 50.5 ms to 67.2 ms if only what is not found comes back" in said(server)
    assert "hangs on how much is found again; with nothing found it flips at 10 GB/s" in said(
        server
    )
    server.device.value = "CPU (Xeon 8480+)"
    assert "less than recomputing takes, so swapping would be cheaper" in said(server)
    server.device.value, server.link.value = "A100 80 GB SXM", "NVMe (PCIe 4.0 x4)"
    assert "more than recomputing takes, so recomputing is cheaper" in said(server)


@pytest.mark.parametrize(
    ("link", "cheaper"),
    [
        ("PCIe 4.0 x16", "less than recomputing takes, so swapping would be cheaper"),
        ("NVMe (PCIe 4.0 x4)", "more than recomputing takes, so recomputing is cheaper"),
    ],
)
def test_without_a_prefix_cache_nothing_is_found_again(server, link, cheaper):
    def without(page):
        return "".join(f"{line}\n" for line in page.splitlines() if "prefix_cache_" not in line)

    server.link.value = link
    server.first.value, server.second.value = without(FIRST), without(SECOND)
    text = said(server)
    assert "no hits of a prefix cache, so all is computed: 5.9% of the server's time" in text
    assert f"{cheaper}; the choice flips at 10 GB/s" in text


@pytest.mark.parametrize(
    ("box", "value", "word"),
    [
        ("second", "hello\n", "no metrics page"),
        ("second", SECOND[: len(SECOND) // 2], "no line break at its end"),
        ("second", "node_load1 3.0\n", "neither vLLM's nor SGLang's"),
        ("second", "", "the page is empty"),
        ("first", SECOND.replace(" 276.0", " 999.0"), "went back from 999 to 276"),
        ("seconds", 0.0, "seconds must be"),
        ("seconds", float("nan"), "seconds must be"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_else(server, box, value, word):
    getattr(server, box).value = value
    assert len(server._lines) == 1
    assert word in said(server)
    assert server._guide.value == ""
    assert word in server._said.value.replace("&#x27;", "'")
    server.first.value, server.second.value, server.seconds.value = FIRST, SECOND, 60
    assert "36 preemptions per minute" in said(server)


def test_pages_that_say_less_leave_the_cost_open(server):
    def without(page):
        return "".join(
            f"{line}\n" for line in page.splitlines() if "cache_config_info{" not in line
        )

    server.first.value, server.second.value = without(FIRST), without(SECOND)
    assert "its cost stays open" in said(server)
    assert "36 preemptions per minute" in said(server)


def test_the_levers_serve_a_load_like_that_of_the_pages(server):
    settings = server.levers.settings
    assert settings["rate"] == pytest.approx(326 / 60)
    assert (settings["prompt"], settings["output"]) == (1_200, 218.75)
    assert (settings["pool"], settings["together"]) == (40_016, "prefix caching")
    assert "40,016 tokens of pool, with prefix caching, one load" in server.levers.verdict
    assert "5.43 requests per second, with prompts of 1,200 and answers of 218.8" in said(server)
    server.device.value = "H100 SXM"
    assert server.levers.device == "H100 SXM"
    server.second.value = SECOND.replace(" 4979.0", " 4819.0")
    assert server.levers.prompt == 2_400
    # What the reader typed there stays until the pages say something else.
    server.levers.rate = 2.0
    server.link.value = "NVMe (PCIe 4.0 x4)"
    assert (server.levers.rate, server.levers.link) == (2.0, "NVMe (PCIe 4.0 x4)")


@pytest.mark.parametrize(
    ("remove", "change", "word"),
    [
        ("request_success", {}, "do not give the rate of requests, the mean prompt, the mean out"),
        ("cache_config", {}, "do not give the pool: for the levers below, type in yourself"),
        ("", {" 4979.0": " 4717.0", " 1101.0": " 1043.0"}, "No request ended between the scrapes"),
        ("", {" 7296000.0": " 9296000.0"}, "The levers stay as they were: In a load of these"),
        ("prefix_cache", {}, ""),
    ],
)
def test_what_the_pages_lack_is_said_and_the_levers_stay(server, remove, change, word):
    def altered(page):
        lines = [line for line in page.splitlines() if not remove or remove not in line]
        return "".join(f"{line}\n" for line in lines)

    pool, prompt = server.levers.pool, server.levers.prompt
    server.first.value, second = altered(FIRST), altered(SECOND)
    for old, new in change.items():
        second = second.replace(old, new)
    server.second.value = second
    assert word in said(server)
    assert (server.levers.pool, server.levers.prompt) == (pool, prompt)
    assert server.levers.together == ("prefix caching" if word else "nothing")


def test_without_a_row_that_fits_it_says_so(server):
    server.second.value = SECOND.replace(" 276.0", " 240.0")
    assert "No row of the field guide fits." in said(server)


def test_it_can_be_read_without_a_kernel(server):
    data = server._repr_mimebundle_()
    assert data["text/plain"] == "\n".join(server._lines)
    assert "36 preemptions per minute" in data["text/html"]


def test_an_unknown_machine_is_refused():
    with pytest.raises(ValueError, match="device must be"):
        OwnServer(device="unknown")
