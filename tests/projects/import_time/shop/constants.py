SIZE = 18
FULL = SIZE >= 18  # expect: killed
UNSEEN = SIZE >= 18  # expect: survived
LOOSE = SIZE >= 17  # expect: not-infected
if SIZE >= 18:  # expect: killed
    NAME = "large"
else:
    NAME = "small"
SQUARES = [number for number in range(4) if number >= 3]  # expect: killed
