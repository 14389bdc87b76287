"""The propositional network: a simplified circuit and bit-parallel playouts."""
