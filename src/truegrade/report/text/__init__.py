"""Results as text: in the terminal, as Markdown, and the listings of metrics and files."""
