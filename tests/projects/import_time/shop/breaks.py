SIZE = 18
assert SIZE >= 18, "too small"  # expect: invalid
