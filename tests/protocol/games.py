"""Small rule sheets of our own for tests of messages and matches."""

DUEL = """
; Two players choose a number at the same time, three rounds long; the larger number wins the round.
(role Left) (role right)
(number 1) (number 2) (number 3)
(init (round 1))
(after 1 2) (after 2 3) (after 3 over)
(<= (legal ?p (Choose ?n)) (role ?p) (number ?n))
(<= (next (round ?s)) (true (round ?r)) (after ?r ?s))
(<= (next (point ?p ?r)) (true (round ?r)) (wins ?p))
(<= (next (point ?p ?r)) (true (point ?p ?r)))
(larger 2 1) (larger 3 1) (larger 3 2)
(<= (wins ?p) (does ?p (choose ?m)) (does ?q (choose ?n)) (distinct ?p ?q) (larger ?m ?n))
(<= terminal (true (round over)))
(<= (goal ?p 100) (true (point ?p 3)))
(<= (goal ?p 0) (role ?p) (not (true (point ?p 3))))
"""

COIN = """
; Chance tosses a coin; the guesser sees it when it peeks, and then names a side. Waiting ends the game as well.
(role random) (role guesser)
(side heads) (side tails)
(init (step toss))
(<= (legal random (toss ?s)) (true (step toss)) (side ?s))
(<= (legal random noop) (not (true (step toss))))
(<= (legal guesser noop) (true (step toss)))
(<= (legal guesser peek) (true (step look)))
(<= (legal guesser (name ?s)) (true (step guess)) (true (shows ?s)))
(<= (next (step look)) (true (step toss)))
(<= (next (step guess)) (true (step look)))
(<= (next (step done)) (true (step guess)))
(<= (next (shows ?s)) (does random (toss ?s)))
(<= (next (shows ?s)) (true (shows ?s)))
(<= (sees guesser ?s) (does guesser peek) (true (shows ?s)))
(<= terminal (true (step done)))
(<= (goal guesser 100) (true (step done)))
(<= (goal guesser 0) (not (true (step done))))
"""
"""In the last turn only the side that was seen is legal, so a player that does not understand percepts plays illegally."""


def start(rules, role, *, match="m1", clocks=(10, 5)):
    """A START message."""
    body = " ".join(line.split(";")[0] for line in rules.splitlines())
    return f"(START {match} {role} ({body}) {clocks[0]} {clocks[1]})"
