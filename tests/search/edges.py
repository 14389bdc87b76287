"""Edges of a search graph, looked up the plain way."""


def child_of(graph, node, joint_move):
    """The node that a joint move (global indices) leads to, -1 if it is not known or not legal."""
    for edge in graph.arrays.edge[: graph.edges]:
        if edge["node"] == node:
            code, moves = int(edge["code"]), []
            for role in reversed(range(graph.roles)):
                code, position = divmod(code, len(graph.moves_of(node, role)))
                moves.append(int(graph.moves_of(node, role)[position]))
            if moves[::-1] == [int(move) for move in joint_move]:
                return int(edge["child"])
    return -1
