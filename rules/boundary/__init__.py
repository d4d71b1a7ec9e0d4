"""FP1xx: comparisons with a threshold."""
