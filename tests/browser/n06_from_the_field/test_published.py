"""Published results beside the model: a question, and a picture that says its figures."""

import pytest
from playwright.sync_api import expect

from preemption import published_beside_model, studies


@pytest.mark.parametrize("name", studies.PUBLISHED)
def test_a_picture_says_what_it_shows(notebook, name):
    said = published_beside_model(name)._alternative
    picture = notebook.page.get_by_role("img", name=said, exact=True)
    expect(picture).to_be_attached()
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()


def test_a_guess_of_the_tokens_per_second(notebook):
    reply = notebook.guess("How many tokens per second do the four get", "20", "tokens/s")
    expect(reply).to_contain_text("It is 8.44 to 8.67 tokens/s.")
