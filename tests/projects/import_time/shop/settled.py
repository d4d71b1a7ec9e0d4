"""Only read while another module of the project loads."""

SIZE = 18
FULL = SIZE >= 18  # expect: killed
