"""Settings that every test shares."""

from hypothesis import settings

# Passing or failing must not depend on the machine or on luck.
# `--hypothesis-profile=default` searches at random instead.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("ci")
