"""Values that are computed while modules load."""
