"""What stands on a page, whatever it shows.

theme       colours by name, for light and dark pages
html        markup: escapes text, and puts tags around it
controls    number boxes with sliders, lists to choose from, lines of text
player      buttons that go through a run, and play it
canvas      the two layers of a picture: a still one, and what moves
explorer    controls above a picture that moves, words below it; pictures that do not move
shown       what a cell showed before is closed
questions   a choice or a number that the reader commits to before the answer opens
"""
