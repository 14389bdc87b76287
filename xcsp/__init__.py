"""XCSP3 documents and the constraint instances in them; knows nothing of games."""
