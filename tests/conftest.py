"""Settings for all tests."""

from hypothesis import settings

# The machine may be busy, so no example is judged by the clock; the same examples are tried in every run.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
