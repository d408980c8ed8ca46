"""The static site: its build, its landing page, and the lesson in it, in a real browser."""
