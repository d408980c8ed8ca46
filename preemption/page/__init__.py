"""What stands on a page, whatever it shows.

theme       colours by name, for light and dark pages
controls    number boxes with sliders, lists to choose from
live        the picture that moves: a still layer, a moving one, words below
questions   a choice or a number that the reader commits to before the answer opens
"""
