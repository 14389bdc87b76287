"""``python -m scsp_player`` is the command ``scsp-player``."""

from scsp_player.cli import main

main()
