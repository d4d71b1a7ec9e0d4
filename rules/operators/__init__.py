"""FP5xx: changes of any code, for `--operators all`: mutmut's own catalogue, and what it lacks."""
