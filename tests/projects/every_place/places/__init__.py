"""One threshold or one normalizing call in every place where Python lets one stand."""
