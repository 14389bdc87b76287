"""Table-constraint solver: GAC, SAC, MAC and stochastic forward checking."""
