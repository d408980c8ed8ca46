"""Exercises: what a reader types is judged in time and told in words.

display     what a notebook calls: check, hint, solution, progress
tasks       the functions to write, with their cases, hints and solutions
judge       calls a reader's function on the cases of a task, and says what came out
sandbox     runs it in time: a deadline, and a child process where there can be one
stand_ins   judges it by itself, where it calls other functions of the reader
mistakes    what is wrong with a result, in words
answers     what is right and wrong about an answer typed by hand
grade       judges submitted notebooks, a row for each
assignment  makes assignments for nbgrader
"""

from preemption.exercises import answers
from preemption.exercises.display import check, hint, progress, solution

__all__ = ["answers", "check", "hint", "progress", "solution"]
