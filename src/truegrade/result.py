"""Score, Evaluation and Comparison: plain records of what was measured, and their JSON form.

Nothing here computes a metric or draws. A saved result can be shown again without the data.
"""
