"""The questions of the notebooks, which would give their answers away if they stood there.

Questions on a picture, each module named as its explorer and figure:

eviction_costs          what an eviction costs, and where the choice flips
machine_costs           the same on a real machine
crossover_map           the map of models and links
block_sizes             copies of small blocks
mix                     a part recomputed while the rest is loaded
slot_chart              static groups and iteration-level admission
chunks                  a prompt in chunks
attention_map           what a token attends to
load                    latency under load
published               results that others published, beside the model
cliff                   a pool that shrinks
live                    two minutes of load over time
side_by_side            victim rules and levers on the same loads
faults                  faults of real engines: what will this log do next?
pool                    a pool of blocks: who goes, what is left of a cache

A closing quiz for each notebook, in a module named as it:

preemption              the closing quiz of notebook 01
try_it_yourself         answers by hand and the closing quiz of notebook 02
where_the_choice_flips  the closing quiz of notebook 03
choosing_a_victim       the closing quiz of notebook 04
schedules_and_latency   the closing quiz of notebook 05
from_the_field          the closing quiz of notebook 06
"""

from preemption.lessons.attention_map import what_does_a_token_attend_to
from preemption.lessons.block_sizes import what_do_smaller_blocks_change
from preemption.lessons.choosing_a_victim import quiz_on_choosing_a_victim
from preemption.lessons.chunks import longest_gap, time_to_first_token_with_small_chunks
from preemption.lessons.cliff import what_does_a_smaller_pool_do
from preemption.lessons.crossover_map import which_model_needs_the_fastest_link
from preemption.lessons.eviction_costs import (
    how_slow_must_the_link_be,
    how_slow_must_the_links_be,
    is_eviction_free,
    what_if_prefill_is_faster,
)
from preemption.lessons.faults import what_will_this_log_do_next
from preemption.lessons.from_the_field import quiz_on_the_field
from preemption.lessons.live import who_stands_in_the_line
from preemption.lessons.load import where_does_preemption_begin
from preemption.lessons.machine_costs import (
    for_which_model_is_the_formula_wrong,
    how_often_can_the_choice_flip,
    where_is_the_crossover_of_opt_13b,
)
from preemption.lessons.mix import which_share_is_best
from preemption.lessons.pool import how_much_is_left, who_goes
from preemption.lessons.preemption import quiz_on_evictions
from preemption.lessons.published import (
    does_caching_keep_the_order_of_victims,
    how_far_does_generation_fall,
    how_large_does_the_tax_get,
    what_do_smaller_blocks_do,
    what_do_whole_prompts_spoil,
    what_does_a_preempted_request_wait_for,
    what_does_a_watermark_cost,
)
from preemption.lessons.schedules_and_latency import quiz_on_schedules_and_latency
from preemption.lessons.side_by_side import (
    does_the_smallest_victim_mean_fewer_preemptions,
    what_does_a_watermark_do_here,
    what_is_prefix_caching_worth,
)
from preemption.lessons.slot_chart import (
    iterations_of_static_groups,
    iterations_with_iteration_level_admission,
)
from preemption.lessons.try_it_yourself import (
    cheaper_way,
    cheaper_way_unseen,
    quiz_on_the_functions,
    time_of_one_copy,
    time_to_recompute,
    time_to_swap_unseen,
    whose_evictions_cost_more,
)
from preemption.lessons.where_the_choice_flips import quiz_on_real_machines

__all__ = [
    "cheaper_way",
    "cheaper_way_unseen",
    "does_caching_keep_the_order_of_victims",
    "does_the_smallest_victim_mean_fewer_preemptions",
    "for_which_model_is_the_formula_wrong",
    "how_far_does_generation_fall",
    "how_large_does_the_tax_get",
    "how_much_is_left",
    "how_often_can_the_choice_flip",
    "how_slow_must_the_link_be",
    "how_slow_must_the_links_be",
    "is_eviction_free",
    "iterations_of_static_groups",
    "iterations_with_iteration_level_admission",
    "longest_gap",
    "quiz_on_choosing_a_victim",
    "quiz_on_evictions",
    "quiz_on_real_machines",
    "quiz_on_schedules_and_latency",
    "quiz_on_the_field",
    "quiz_on_the_functions",
    "time_of_one_copy",
    "time_to_first_token_with_small_chunks",
    "time_to_recompute",
    "time_to_swap_unseen",
    "what_do_smaller_blocks_change",
    "what_do_smaller_blocks_do",
    "what_do_whole_prompts_spoil",
    "what_does_a_preempted_request_wait_for",
    "what_does_a_smaller_pool_do",
    "what_does_a_token_attend_to",
    "what_does_a_watermark_cost",
    "what_does_a_watermark_do_here",
    "what_if_prefill_is_faster",
    "what_is_prefix_caching_worth",
    "what_will_this_log_do_next",
    "where_does_preemption_begin",
    "where_is_the_crossover_of_opt_13b",
    "which_model_needs_the_fastest_link",
    "which_share_is_best",
    "who_goes",
    "who_stands_in_the_line",
    "whose_evictions_cost_more",
]
