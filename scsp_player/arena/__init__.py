"""The referee: matches between any players."""
