"""Whether somebody is grown up."""


def adult(age):
    """Whether."""
    return age >= 18  # expect: survived
