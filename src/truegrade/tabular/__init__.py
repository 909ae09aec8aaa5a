"""Grading tables: columns, pairs of columns, grade inflation, whole rows, privacy."""
