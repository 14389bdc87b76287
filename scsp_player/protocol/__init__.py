"""Messages of the game manager protocol and the HTTP player server."""
