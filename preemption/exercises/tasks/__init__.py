"""The functions that a reader writes, a module for each notebook that has any.

try_it_yourself        costs and victims
choosing_a_victim      a rule
schedules_and_latency  schedules

Each task holds its right results, the calls to try, hints and a solution side by side.
"""

from preemption.exercises.tasks import choosing_a_victim, schedules_and_latency, try_it_yourself

# By the part of a notebook's name after its number.
NOTEBOOKS = {
    "try_it_yourself": try_it_yourself.TASKS,
    "choosing_a_victim": choosing_a_victim.TASKS,
    "schedules_and_latency": schedules_and_latency.TASKS,
}
TASKS = {task.name: task for tasks in NOTEBOOKS.values() for task in tasks}

__all__ = ["NOTEBOOKS", "TASKS"]
