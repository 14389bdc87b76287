"""Evaluates a ``GroundGame`` in many states at once: one Python integer an atom, one bit of it a state.

Slow to set up, independent of the package's engines, and fast enough to walk through all positions of a small game. The rules
are written out as Python source; positive cycles are repeated from all-false until nothing changes.
"""

from __future__ import annotations

import numpy as np

from scsp_player.grounding.ground_game import FALSE, TRUE


def bits_to_integers(matrix):
    """Columns of bool[k, n] as n integers whose bit i is row i."""
    packed = np.packbits(np.asarray(matrix, dtype=np.bool_), axis=0, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed.T]


def integers_to_bits(integers, lanes):
    """The inverse of ``bits_to_integers``: bool[lanes, n]."""
    size = (lanes + 7) // 8
    packed = np.frombuffer(b"".join(x.to_bytes(size, "little") for x in integers), dtype=np.uint8).reshape(len(integers), size)
    return np.unpackbits(packed.T, axis=0, count=lanes, bitorder="little").astype(np.bool_)


class LaneMachine:
    """Index-level questions about states given as bool[k, fluents] and joint moves given as global move indices int[k, roles]."""

    def __init__(self, game):
        self.game = game
        self._depends = self._atoms_that_depend_on_moves()
        g = game
        self._still = self._compile(False, [g.terminal_literal, *g.legal_literal, *g.goal_literal])
        self._moved = self._compile(True, [*g.next_literal, *g.percept_literal])

    def _atoms_that_depend_on_moves(self):
        g = self.game
        depends = np.zeros(g.atoms, dtype=np.bool_)
        depends[g.does_atom] = True
        for c in range(len(g.component_cyclic)):
            atoms = g.component_atoms[g.component_start[c] : g.component_start[c + 1]]
            found = False
            for a in atoms:
                start, stop = g.rule_start[g.head_start[a]], g.rule_start[g.head_start[a + 1]]
                found |= bool(depends[g.rule_body[start:stop] >> 1].any())
            depends[atoms] = found
        return depends

    def _compile(self, with_moves, outputs):
        g = self.game
        lines = ["def evaluate(true, does, all_lanes):"]
        lines += [f" v{a} = true[{i}]" for i, a in enumerate(g.fluent_atom)]
        if with_moves:
            lines += [f" v{a} = does[{i}]" for i, a in enumerate(g.does_atom)]

        def literal(code):
            if code == TRUE:
                return "all_lanes"
            if code == FALSE:
                return "0"
            return f"(all_lanes ^ v{code >> 1})" if code & 1 else f"v{code >> 1}"

        def formula(atom):
            bodies = []
            for r in range(g.head_start[atom], g.head_start[atom + 1]):
                body = g.rule_body[g.rule_start[r] : g.rule_start[r + 1]]
                bodies.append(" & ".join(literal(int(x)) for x in body))
            return " | ".join(f"({b})" for b in bodies)

        for c, cyclic in enumerate(g.component_cyclic):
            atoms = [int(a) for a in g.component_atoms[g.component_start[c] : g.component_start[c + 1]]]
            if self._depends[atoms[0]] and not with_moves:
                continue
            if not cyclic:
                lines.append(f" v{atoms[0]} = {formula(atoms[0])}")
                continue
            lines += [f" v{a} = 0" for a in atoms]
            lines.append(" changed = True")
            lines.append(" while changed:")
            lines.append("  changed = False")
            for a in atoms:
                lines += [f"  new = {formula(a)}", f"  if new != v{a}:", f"   v{a} = new", "   changed = True"]
        lines.append(f" return [{', '.join(literal(int(x)) for x in outputs)}]")
        scope: dict = {}
        exec(compile("\n".join(lines), "<ground rules>", "exec"), scope)
        return scope["evaluate"]

    def evaluate(self, states):
        """``terminal`` bool[k], ``legal`` bool[k, moves] and ``goals`` int[k, roles] (-1 for none or several)."""
        g = self.game
        lanes = len(states)
        out = integers_to_bits(self._still(bits_to_integers(states), None, (1 << lanes) - 1), lanes)
        held = out[:, 1 + g.moves :]
        goals = np.full((lanes, len(g.roles)), -1, dtype=np.int64)
        for r in range(len(g.roles)):
            mine = np.flatnonzero(g.goal_role == r)
            count = held[:, mine].sum(axis=1)
            goals[:, r] = np.where(count == 1, held[:, mine] @ g.goal_value[mine], -1)
        return out[:, 0], out[:, 1 : 1 + g.moves], goals

    def _after(self, states, joint):
        g = self.game
        lanes = len(states)
        does = np.zeros((lanes, g.moves), dtype=np.bool_)
        for r in range(len(g.roles)):
            does[np.arange(lanes), np.asarray(joint)[:, r]] = True
        return integers_to_bits(self._moved(bits_to_integers(states), bits_to_integers(does), (1 << lanes) - 1), lanes)

    def successors(self, states, joint):
        """bool[k, fluents] after the joint moves."""
        return self._after(states, joint)[:, : self.game.fluents]

    def percepts(self, states, joint):
        """bool[k, percepts] that the joint moves cause."""
        return self._after(states, joint)[:, self.game.fluents :]
