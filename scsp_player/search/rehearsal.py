"""A tiny game that a search plays before it is needed, so that all its kernels are compiled."""

REHEARSAL = """
(role r) (role s) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal r go) (true (at ?n))) (<= (legal r stay) (true (at ?n))) (legal s wait)
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= (next gone) (does r go)) (<= (next gone) (true gone))
(<= terminal (true (at 3)))
(<= (goal r 100) (true gone)) (<= (goal r 0) (not (true gone))) (<= (goal s 0) (true gone)) (<= (goal s 100) (not (true gone)))
"""
