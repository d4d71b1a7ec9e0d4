"""The jinja2 templates of the reporters."""
