"""Grades of single columns and of pairs of columns, all from counts of both tables taken in the same passes."""
