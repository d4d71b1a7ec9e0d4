"""The JSON Schemas of the outputs."""
