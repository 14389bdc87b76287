"""From a program to integer-coded ground rules, and the reasoner that needs no grounding."""
