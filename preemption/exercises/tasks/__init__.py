"""The functions that a reader writes, a module for each notebook that has any.

try_it_yourself        costs and victims
schedules_and_latency  schedules

Each task holds its right results, the calls to try, hints and a solution side by side.
"""

from preemption.exercises.tasks import schedules_and_latency, try_it_yourself

TASKS = {task.name: task for task in (*try_it_yourself.TASKS, *schedules_and_latency.TASKS)}

__all__ = ["TASKS"]
