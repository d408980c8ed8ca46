"""Wrong functions by kind of thought: what a reader may well write, and no operator makes.

`IDEAS` maps a task to (kind, source). Kinds: greedy, too small a search, a minimum that starts at
a constant, names of one letter, a few slots or entries only, another order, what counts forgotten.
"""

from textwrap import dedent

IDEAS: dict[str, list[tuple[str, str]]] = {}


def idea(task, kind, source, *values):
    """Enter a source, once for each of the values that `VALUE` in it stands for."""
    for value in values or ("",):
        text = dedent(source).strip().replace("VALUE", str(value))
        IDEAS.setdefault(task, []).append((kind, text))


# spare_the_oldest

for younger in (
    "list(running)",  # nobody is spared
    "list(running)[1:] or list(running)",  # the first of equals
    "list(running)[:0:-1][:8] or list(running)",
    "sorted(running)[:0:-1] or list(running)",
    "list(running)[:-1][::-1] or list(running)",
    "list(running)[len(running) // 2:][::-1]",
    "list(running)[-1:]",
    "[name for name in running if running[name] > min(running.values())][::-1] or list(running)",
    "[name for name in running if running[name] < max(running.values())][::-1] or list(running)",
):
    idea(
        "spare_the_oldest",
        "another order",
        f"""
        def spare_the_oldest(running):
            return min({younger}, key=running.get)
        """,
    )
idea(
    "spare_the_oldest",
    "minimum from a constant",
    """
    def spare_the_oldest(running):
        *names, oldest = list(running)[::-1]
        victim, fewest = oldest, VALUE
        for name in names:
            if running[name] < fewest:
                victim, fewest = name, running[name]
        return victim
    """,
    *(100, 1_000, 10_000, 1_000_000, 10**9),
)
for key in (
    "-(-running[name] // 16)",  # by blocks
    "(running[name], name)",
    "str(running[name])",
    "running[name] or 10**12",
    "-running[name]",
):
    idea(
        "spare_the_oldest",
        "another measure",
        f"""
        def spare_the_oldest(running):
            names = list(running)[::-1]
            return min(names[:-1] or names, key=lambda name: {key})
        """,
    )

# pick_victim

idea(
    "pick_victim",
    "minimum from a constant",
    """
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        victim, fewest = None, VALUE
        for name in sorted(seqs):
            if seqs[name] < fewest:
                victim, fewest = name, seqs[name]
        return victim
    """,
    *(100, 1_000, 10_000, 100_000, 1_000_000, 10**9),
)
idea(
    "pick_victim",
    "minimum from a constant",
    """
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        return min(seqs, key=lambda name: (min(seqs[name], VALUE), name))
    """,
    *(100, 1_000, 10_000, 100_000, 1_000_000, 10**9),
)
for key in (
    "(seqs[name] or 10**12, name)",  # as if 0 were no number
    "(-(-seqs[name] // 16), name)",  # by blocks
    "(seqs[name], name.casefold())",
    "(seqs[name], name.swapcase())",
    "(seqs[name], [int(part) if part.isdigit() else part for part in re.split('([0-9]+)', name)])",
    "(seqs[name], name[0])",
    "(seqs[name], name[:2])",
    "(seqs[name], name[-1])",
    "(seqs[name], sorted(name))",
    "(seqs[name], ''.join(filter(str.isalpha, name)))",
    "(seqs[name], ascii(name))",
    "(seqs[name], unicodedata.normalize('NFKD', name))",
    "(seqs[name], sum(map(ord, name)))",
    "(seqs[name], hash(name) % 7)",
    "(float(str(seqs[name])[:3]), name)",
):
    idea(
        "pick_victim",
        "another order",
        f"""
        import re, unicodedata
        def pick_victim(seqs):
            return min(seqs, key=lambda name: {key})
        """,
    )
idea(
    "pick_victim",
    "another order",
    """
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        names = list(seqs)
        for first, second in zip(names, names[1:]):
            if (seqs[first], first) < (seqs[second], second):
                return first
        return names[-1]
    """,
)
idea(
    "pick_victim",
    "names of one letter",
    """
    import string
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        fewest = min(seqs.values())
        for letter in string.ascii_letters:
            if seqs.get(letter) == fewest:
                return letter
    """,
)
idea(
    "pick_victim",
    "names of one letter",
    """
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        fewest = min(seqs.values())
        return min("".join(name for name in seqs if seqs[name] == fewest))
    """,
)
idea(
    "pick_victim",
    "names of one letter",
    """
    def pick_victim(seqs):
        if not seqs:
            raise ValueError
        text = " ".join(sorted(name for name in seqs if seqs[name] == min(seqs.values())))
        return text.split()[0].strip("_")
    """,
)

# pick_victims

GREEDY = """
    def pick_victims(seqs, blocks_needed):
        blocks = {name: -(-tokens // 16) for name, tokens in seqs.items()}
        if sum(blocks.values()) < blocks_needed:
            raise ValueError
        group, left = [], blocks_needed
        for name in sorted(seqs, key=lambda name: VALUE):
            if left > 0:
                group.append(name)
                left -= blocks[name]
        return group
    """
PRUNED = """
    def pick_victims(seqs, blocks_needed):
        blocks = {name: -(-tokens // 16) for name, tokens in seqs.items()}
        if sum(blocks.values()) < blocks_needed:
            raise ValueError
        group, left = [], blocks_needed
        for name in sorted(seqs, key=lambda name: VALUE):
            if left > 0:
                group.append(name)
                left -= blocks[name]
        for name in sorted(group, key=lambda name: -seqs[name]):
            if left + blocks[name] <= 0:
                group.remove(name)
                left += blocks[name]
        return group
    """
SINGLE_OR = """
    def pick_victims(seqs, blocks_needed):
        blocks = {name: -(-tokens // 16) for name, tokens in seqs.items()}
        if sum(blocks.values()) < blocks_needed:
            raise ValueError
        if blocks_needed == 0:
            return []
        group, left = [], blocks_needed
        for name in sorted(seqs, key=lambda name: VALUE):
            if left > 0:
                group.append(name)
                left -= blocks[name]
        alone = [name for name in seqs if blocks[name] >= blocks_needed]
        best = min(alone, key=seqs.get, default=None)
        return group if best is None or sum(map(seqs.get, group)) <= seqs[best] else [best]
    """
DROPPED = """
    def pick_victims(seqs, blocks_needed):
        blocks = {name: -(-tokens // 16) for name, tokens in seqs.items()}
        spare = sum(blocks.values()) - blocks_needed
        if spare < 0:
            raise ValueError
        group = list(seqs)
        for name in sorted(seqs, key=lambda name: VALUE):
            if blocks[name] <= spare:
                group.remove(name)
                spare -= blocks[name]
        return group
    """
ORDERS = (
    "seqs[name]",
    "-seqs[name]",
    "blocks[name]",
    "-blocks[name]",
    "(blocks[name], seqs[name])",
    "(-blocks[name], seqs[name])",
    "seqs[name] / max(1, blocks[name])",
    "-seqs[name] / max(1, blocks[name])",
    "(blocks[name] < blocks_needed, seqs[name])",
    "abs(blocks[name] - blocks_needed)",
    "16 * blocks[name] - seqs[name]",
    "seqs[name] % 16",
    "name",
)
for wrong in (GREEDY, PRUNED, SINGLE_OR, DROPPED):
    idea("pick_victims", "greedy", wrong, *ORDERS)
SEARCH = """
    from itertools import combinations
    def pick_victims(seqs, blocks_needed):
        blocks = {{name: -(-tokens // 16) for name, tokens in seqs.items()}}
        if sum(blocks.values()) < blocks_needed:
            raise ValueError
        names = list(seqs)
        groups = {groups}
        enough = [g for g in groups if sum(blocks[n] for n in g) {test}]
        return list({choice})
    """
ALL_GROUPS = "[g for size in range(len(names) + 1) for g in combinations(names, size)]"
CHEAPEST = "min(enough, key=lambda g: sum(seqs[n] for n in g), default=names)"
for groups in (
    *(f"[g for size in range({most} + 1) for g in combinations(names, size)]" for most in range(7)),
    "[g for size in (0, 1, len(names)) for g in combinations(names, size)]",
    "[names[i:j] for i in range(len(names) + 1) for j in range(i, len(names) + 1)]",
    "[sorted(names, key=seqs.get)[:size] for size in range(len(names) + 1)]",
    "[sorted(names, key=seqs.get)[-size:] for size in range(1, len(names) + 1)] + [[]]",
    "[g for size in range(len(names) + 1) for g in combinations(names[:6], size)]",
):
    source = SEARCH.format(groups=groups, test=">= blocks_needed", choice=CHEAPEST)
    idea("pick_victims", "too small a search", source)
for test, choice in (
    ("== blocks_needed", CHEAPEST),
    ("> blocks_needed", CHEAPEST),
    (">= blocks_needed", "enough[0]"),
    (">= blocks_needed", "min(enough, key=len)"),
    (">= blocks_needed", "min(enough, key=lambda g: sum(blocks[n] for n in g))"),
    (
        ">= blocks_needed",
        "min(enough, key=lambda g: (sum(blocks[n] for n in g), sum(seqs[n] for n in g)))",
    ),
    (">= blocks_needed", "min(enough, key=lambda g: (len(g), sum(seqs[n] for n in g)))"),
    (">= blocks_needed", "min(enough, key=lambda g: sum(seqs[n] for n in g) // 16)"),
    (">= blocks_needed", "min(enough, key=lambda g: max([seqs[n] for n in g] or [0]))"),
    (">= blocks_needed", "''.join(min(enough, key=lambda g: sum(seqs[n] for n in g)))"),
):
    source = SEARCH.format(groups=ALL_GROUPS, test=test, choice=choice)
    idea("pick_victims", "another aim", source)
for held in (
    "tokens / 16",
    "tokens // 16",
    "tokens // 16 + 1",
    "max(1, tokens // 16)",
    "round(tokens / 16)",
    "-(-tokens // 32)",
    "-(-tokens // 10)",
):
    source = SEARCH.format(groups=ALL_GROUPS, test=">= blocks_needed", choice=CHEAPEST)
    idea("pick_victims", "other blocks", source.replace("-(-tokens // 16)", held))
idea(
    "pick_victims",
    "minimum from a constant",
    """
    from itertools import combinations
    def pick_victims(seqs, blocks_needed):
        if sum(-(-tokens // 16) for tokens in seqs.values()) < blocks_needed:
            raise ValueError
        best, cost = [], VALUE
        for size in range(len(seqs) + 1):
            for group in combinations(seqs, size):
                tokens = sum(map(seqs.get, group))
                if sum(-(-seqs[n] // 16) for n in group) >= blocks_needed and tokens < cost:
                    best, cost = list(group), tokens
        return best
    """,
    *(100, 1_000, 10_000, 100_000),
)
idea(
    "pick_victims",
    "other blocks",
    """
    from itertools import combinations
    def pick_victims(seqs, blocks_needed):
        groups = [g for size in range(len(seqs) + 1) for g in combinations(seqs, size)]
        enough = [g for g in groups if -(-sum(seqs[n] for n in g) // 16) >= blocks_needed]
        return min(enough, key=lambda g: sum(seqs[n] for n in g))
    """,
)

# eviction_overhead

EACH = "recompute_ms(n) if how == 'recompute' else swap_ms(n, 131_072, 25e9)"
for total in (
    f"sum({EACH} for n, how in set(evictions))",
    f"sum({EACH} for n, how in dict(evictions).items())",
    f"sum({{how: {EACH} for n, how in evictions}}.values())",
    f"max(({EACH} for n, how in evictions), default=0)",
    f"sum(round({EACH}, 2) for n, how in evictions)",
    f"sum(int({EACH}) for n, how in evictions)",
    f"sum({EACH} for n, how in evictions) / max(1, len(evictions))",
    f"sum({EACH} for n, how in evictions[:2])",
    f"sum({EACH} for n, how in evictions if n > 1)",
    f"sum({EACH} for n, how in evictions if n < 20_000)",
    f"sum({EACH} for (n, how), _ in zip(evictions, range(4)))",
    "sum(min(recompute_ms(n), swap_ms(n, 131_072, 25e9)) for n, how in evictions)",
    "sum(recompute_ms(n) + swap_ms(n, 131_072, 25e9) for n, how in evictions)",
    "sum(n * [0.1, 0.01][how == 'swap'] for n, how in evictions)",
    "sum(n * [0.1, 0.0105][how == 'swap'] for n, how in evictions)",
    "sum(n * [0.1, 0.01049][how == 'swap'] for n, how in evictions)",
    "sum([100, 10.48576][how == 'swap'] for n, how in evictions)",
    f"sum({EACH} for n, how in evictions) if len(evictions) % 2 else 110.48576",
):
    idea("eviction_overhead", "not the bill", f"def eviction_overhead(evictions): return {total}")

# cheaper

for swaps in (
    "bandwidth_bytes_per_s > 2.62144e9",
    "bandwidth_bytes_per_s > 20e9",
    "bandwidth_bytes_per_s >= 5e9",
    "per_token_bytes / bandwidth_bytes_per_s < 0.00005",
    "swap < recompute - 1e-3",
    "swap < recompute - 1",
    "swap < 0.999 * recompute",
    "swap < 1.001 * recompute",
    "swap < recompute * (1 - 1e-6)",
    "swap <= recompute",
    "round(swap) < round(recompute)",
    "round(swap, 3) < round(recompute, 3)",
    "int(swap) < int(recompute)",
    "swap / recompute < 1",
    "tokens and swap <= recompute",
    "not tokens or swap < recompute",
    "tokens <= 1000 and swap < recompute",
    "tokens < 100_000 and swap < recompute",
    "per_token_bytes < 200_000 and swap < recompute",
    "swap / 2 < recompute",
    "swap < 100",
    "recompute >= 10 and swap < recompute",
):
    idea(
        "cheaper",
        "another test",
        f"""
        def cheaper(tokens, per_token_bytes, bandwidth_bytes_per_s):
            swap = swap_ms(tokens, per_token_bytes, bandwidth_bytes_per_s)
            recompute = recompute_ms(tokens)
            return "swap" if {swaps} else "recompute"
        """,
    )

# utilization

for share in (
    "sum(map(len, ([n for n in row if n] for row in rows))) / (len(rows) * 2)",
    "sum(n is not None for row in rows for n in row) / (len(rows) * 4)",
    "len({n for row in rows for n in row if n}) / (len(rows) * len(rows[0]))",
    "sum(len({*row} - {None}) for row in rows) / (len(rows) * max(2, len(rows[0])))",
    "sum(any(row) for row in rows) / len(rows)",
    "sum(all(row) for row in rows) / len(rows)",
    "sum(n is not None for n in rows[0]) / len(rows[0])",
    "round(sum(n is not None for r in rows for n in r) / sum(map(len, rows)), 3)",
    "round(sum(n is not None for r in rows for n in r) / sum(map(len, rows)), 6)",
    "100 * sum(n is not None for r in rows for n in r) / sum(map(len, rows))",
    "sum(str(n).isalpha() and len(str(n)) == 1 for r in rows for n in r) / sum(map(len, rows))",
    "len(''.join(n or '' for r in rows for n in r)) / sum(map(len, rows))",
    "sum(n is not None for r in rows[:4] for n in r) / sum(map(len, rows[:4]))",
    "sum(n is not None for r in rows for n in r[:4]) / sum(map(len, (r[:4] for r in rows)))",
    "sum(n is not None for r in rows for n in r) / sum(1 for r in rows if any(r) for n in r)",
):
    idea("utilization", "not the share", f"def utilization(rows): return {share}")

# continuous_schedule

COLUMNS = """
    def continuous_schedule(lengths, slots):
        ran = [[] for _ in range(slots)]
        for name, length in {entries}:
            {step}
        return [[s[i] if i < len(s) else None for s in ran] for i in range(max(map(len, ran)))]
    """
STEP = "min(ran, key=len).extend([name] * length)"
for entries in (
    "sorted(lengths.items())",
    "sorted(lengths.items(), key=lambda pair: pair[1])",
    "sorted(lengths.items(), key=lambda pair: -pair[1])",
    "reversed(lengths.items())",
    "list(lengths.items())[:6]",
):
    idea("continuous_schedule", "another order", COLUMNS.format(entries=entries, step=STEP))
for kind, step in (
    ("names of one letter", "min(ran, key=len).extend(name * length)"),
    ("names of one letter", "min(ran, key=len).extend([name[0]] * length)"),
    ("names of one letter", "min(ran, key=len).extend(list(name)[:1] * length)"),
    ("names of one letter", "min(ran, key=len).extend(n for n in (name,) * length if len(n) < 2)"),
    *(
        ("a few slots only", f"min(ran[:{most}], key=len).extend([name] * length)")
        for most in range(1, 9)
    ),
    *(
        (
            "minimum from a constant",
            f"first, end = 0, {most}\n            for i, s in enumerate(ran):\n"
            "                if len(s) < end:\n                    first, end = i, len(s)\n"
            "            ran[first].extend([name] * length)",
        )
        for most in (5, 10, 100)
    ),
    ("another slot", "min(ran[::-1], key=len).extend([name] * length)"),
    ("another slot", "max(ran, key=len).extend([name] * length)"),
    ("another slot", "ran[list(lengths).index(name) % slots].extend([name] * length)"),
    ("another slot", "min(ran, key=lambda s: len(set(s))).extend([name] * length)"),
    ("another slot", "min(ran, key=len).extend([name] * max(length, 2))"),
    ("another slot", "min(ran, key=len).extend([name] * min(length, 5))"),
):
    source = COLUMNS.format(entries="lengths.items()", step=step)
    idea("continuous_schedule", kind, source)
idea(
    "continuous_schedule",
    "static groups",
    """
    def continuous_schedule(lengths, slots):
        rows, names = [], list(lengths)
        for start in range(0, len(names), slots):
            group = names[start : start + slots]
            for i in range(max(lengths[n] for n in group)):
                row = [n if i < lengths[n] else None for n in group]
                rows.append(row + [None] * (slots - len(group)))
        return rows
    """,
)
for free, change in (
    ("row[slot] is None", "row = [row[0], *sorted(row[1:], key=str)]"),
    ("row[slot] is None", "row = sorted(row, key=lambda n: n is None)"),
    ("row[slot] is None and len(rows) % 2 == 0", "pass"),
):
    idea(
        "continuous_schedule",
        "another slot",
        f"""
        def continuous_schedule(lengths, slots):
            waiting, left, row, rows = list(lengths), dict(lengths), [None] * slots, []
            while left:
                for slot in range(slots):
                    if {free} and waiting:
                        row[slot] = waiting.pop(0)
                rows.append(list(row))
                for slot, name in enumerate(row):
                    if name is not None:
                        left[name] -= 1
                        if not left[name]:
                            row[slot] = left.pop(name) or None
                {change}
            return rows
        """,
    )
