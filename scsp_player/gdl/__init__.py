"""Rule sheets: terms, parsing, normalisation, checks and printing."""
