"""One module for each sub-command of the command line."""
