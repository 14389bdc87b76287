"""The micro-SCSP template of a game and its injection with a state."""
