"""Published results beside the model: a question, and a picture that says its figures."""

import pytest
from playwright.sync_api import expect

from preemption import published_beside_model, studies


@pytest.mark.parametrize("name", studies.PUBLISHED)
def test_a_picture_says_what_it_shows(notebook, name):
    said = published_beside_model(name)._alternative
    pictures = notebook.page.get_by_role("img", name=said, exact=True)
    expect(pictures).to_have_count(2)  # after the question, and below what is to be seen in it
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()


def test_a_guess_of_the_tokens_per_second(notebook):
    reply = notebook.guess("How many tokens per second do the four get", "20", "tokens/s")
    expect(reply).to_contain_text("It is 8.44 to 8.67 tokens/s.")
