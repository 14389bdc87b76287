"""Agents that misbehave in ways that a server has to survive, and one that tells what it does; run in real engine processes."""

import os
import threading
import time

from scsp_player.agents.legal import LegalAgent
from scsp_player.gdl.terms import Symbol


class Troublemaker(LegalAgent):
    """Plays a move that does not exist in turn 0, crashes in turn 1 unless it is a replacement, never comes back from turn 2."""

    replacement = False

    @classmethod
    def prepare(cls):
        """No rehearsal: it would crash in that too."""

    def play(self, turn, deadline):
        move = super().play(turn, deadline)
        print("what an agent prints must not disturb the conversation")
        if turn.number == 0:
            return Symbol("cheat")
        if turn.number == 1 and not self.replacement:
            raise RuntimeError("as planned")
        if turn.number == 2:
            self.report(move)
            while True:
                time.sleep(0.05)
        return move

    def observe(self, turn):
        self.replacement = True
        super().observe(turn)


class Hungry(LegalAgent):
    """Reports a move that is not the first, and then wants more memory than there is."""

    @classmethod
    def prepare(cls):
        """No rehearsal."""

    def play(self, turn, deadline):
        super().play(turn, deadline)
        self.report(self.legal[1])
        while True:
            self.hoard = [getattr(self, "hoard", None), bytearray(1 << 28)]

    def view(self):
        return {"value": 61.5}


class Threaded(LegalAgent):
    """Leaves a thread behind, with which its process leaves after the match."""

    @classmethod
    def prepare(cls):
        """No rehearsal."""

    def stop(self):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


class Ponderer(LegalAgent):
    """Thinks on others' time until it is interrupted; its view tells how often that happened, a file how often it began."""

    def __init__(self, report):
        super().__init__(report)
        self.interruptions = 0

    @classmethod
    def prepare(cls):
        """No rehearsal."""

    def ponder(self, interrupted):
        if log := os.environ.get("PONDERER_LOG"):
            with open(log, "a") as begun:
                begun.write("!")
        while not interrupted():
            time.sleep(0.001)
        self.interruptions += 1

    def view(self):
        return {"value": float(self.interruptions)}
