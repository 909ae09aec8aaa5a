"""Results for people; draws and formats, never computes a score.

verdict.py and versus.py: what numbers say in words, of one set and of several; words.py: numbers as text.
summarize.py with summary/: the one plain dict that every output is made from. text/: terminal and Markdown.
page/: the report and the playground as pages.
"""
