"""Slow, independent implementations that the package is compared with."""
