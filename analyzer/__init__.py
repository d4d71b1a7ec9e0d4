"""The engine: scan the source, observe one unmutated run, run the mutants that could matter, judge."""
