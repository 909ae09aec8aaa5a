"""Grade inflation: pairs of columns that usual scores call right and that are not. See docs/inflation.md."""
