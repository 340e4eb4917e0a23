"""What several commands' answers are made of: groups, keys, endings, excerpts, SVG, HTML."""
