"""Named players."""
