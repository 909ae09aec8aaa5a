"""Whole rows of tables: as vectors, told apart by classifiers, of use for training, what they give away."""
