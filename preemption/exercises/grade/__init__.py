"""Grading: submitted notebooks are read, and each function is judged away from all others.

submission  which functions a notebook holds, and what source each of them needs
runner      the process in which one submitted function runs, confined as far as it can be
apart       calls a function in such a process, and judges it
rows        a row for each notebook, and all of them in a table
"""
