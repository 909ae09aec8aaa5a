"""What the plain dict of a result holds beyond its tables: each part from the result, none from another output."""
