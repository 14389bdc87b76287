"""A general game player that turns rules (GDL, GDL-II) into stochastic constraints."""

__version__ = "0.1.0"
