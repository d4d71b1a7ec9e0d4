SIZE = 18
FULL = SIZE >= 18  # expect: killed
HALF = SIZE >= 18  # expect: survived
