"""Markup: text is escaped wherever it goes in, markup is not."""

from preemption.page import html, theme

BAD = "<b>'&\""
SAFE = "&lt;b&gt;&#x27;&amp;&quot;"


def test_text_is_escaped_everywhere():
    markup = [
        html.escaped(BAD),
        html.join([BAD]),
        html.lines([BAD]),
        html.element("p", BAD, title=BAD),
        html.page(BAD),
        html.status(BAD),
        html.paragraphs([BAD]),
        html.items([BAD]),
        html.fold(BAD, BAD),
        html.picture(html.Html("<svg></svg>"), BAD),
        html.saved_picture(b"", BAD),
        html.formula(BAD),
        html.table([BAD, BAD], [[BAD, BAD]]),
    ]
    for each in markup:
        assert isinstance(each, html.Html)
        assert SAFE in each
        assert BAD not in each


def test_markup_goes_in_as_it_is():
    inner = html.element("i", "a & b")
    assert html.element("p", inner, " < c") == "<p><i>a &amp; b</i> &lt; c</p>"
    assert html.join(["<", inner]) == "&lt;" + inner
    assert html.lines(["<", inner]) == "&lt;<br>" + inner
    assert html.escaped(inner) is inner


def test_attributes_are_named_as_in_html_and_empty_ones_left_out():
    assert html.page("x", aria_hidden="true") == '<div class="pe" aria-hidden="true">x</div>'
    assert html.page("x", styled=True) == f'{theme.STYLE}<div class="pe">x</div>'
    assert html.element("p", "x", class_="") == "<p>x</p>"
    assert html.status("x") == '<p role="status" aria-live="polite">x</p>'


def test_powers_are_raised():
    assert html.formula("2.1 × 10^-7 × 1,000^2") == (
        "2.1 × 10<sup>&minus;7</sup> × 1,000<sup>2</sup>"
    )


def test_a_table_names_rows_and_columns_for_screen_readers():
    table = html.table(
        ["of", "figure"],
        [["a", "1"], ["b", "2"]],
        numbers=[1],
        edges=[theme.SWAP, theme.RECOMPUTE],
        best=1,
        class_="pe-x",
    )
    assert table.startswith(
        '<div class="pe-scroll"><table class="pe-x"><thead><tr><th scope="col">of</th>'
    )
    assert '<th scope="col" class="pe-number">figure</th>' in table
    assert f'<th scope="row" style="border-left: 4px solid {theme.css(theme.SWAP)}">a</th>' in table
    assert '<td class="pe-number">1</td>' in table
    assert '<td class="pe-number pe-best">2</td>' in table
