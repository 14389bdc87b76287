"""MAC-UCB and UCT over states."""
