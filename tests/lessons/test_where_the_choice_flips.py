"""The questions of notebook 03 hold what the package computes."""

from preemption import costs, lessons
from preemption.costs import DEVICES, LINKS, MODELS, Copy, Recompute


def test_the_questions_hold_what_the_package_computes():
    a100, llama = DEVICES["A100 80 GB SXM"], MODELS["Llama-3-8B"]
    flip = costs.linear_crossover_bandwidth(MODELS["OPT-13B"], a100) / 1e9
    assert lessons.where_is_the_crossover_of_opt_13b()._truth == flip
    load = Copy(
        model=llama,
        bandwidth_bytes_per_s=LINKS["PCIe 4.0 x16"].bandwidth_bytes_per_s,
        round_trip=False,
    )
    best = costs.best_mix(1_000, Recompute.of(llama, a100), load)
    assert lessons.which_share_is_best()._truth == 100 * best.share
    fastest = max(
        lessons.which_model_needs_the_fastest_link()._of_option,
        key=lambda option: costs.linear_crossover_bandwidth(MODELS[option], a100),
    )
    assert fastest == lessons.which_model_needs_the_fastest_link()._right
    for option in lessons.for_which_model_is_the_formula_wrong()._of_option:
        model = MODELS[option]
        plain = 2 * model.layers * (model.kv_heads or model.heads) * model.head_dim * 2
        wrong = plain != model.cache_bytes(1)
        assert wrong == (option == lessons.for_which_model_is_the_formula_wrong()._right)
