"""Values that one test computes and another one asserts."""
