"""Variables that are all different: generalised arc consistency by matching (Régin, AAAI 1994).

A matching gives every variable a value of its own. A value of a variable is consistent if it is matched, or if the matching can be
turned to it: if both lie in one strongly connected component (Tarjan, 1972) of the graph in which variables point to the values
they could change to, values to the variable that holds them, values that nobody holds to a sink, and the sink to all that could be
given up. Values that several variables may have are the sink themselves.

The arguments are the arrays of a ``Store`` under their names there; ``control`` is its only row. Values have numbers within a
constraint (from ``first_residue`` of a slot in ``tables``), ``first_row`` of the constraint in all, the last ``most`` of which may
be shared. From ``first_cell`` of a
constraint ``tables`` holds, with k variables and d values, the ids matched (k, −1 for none), who holds each value (d), and for the
work on the graph with k + d + 1 nodes five columns.
"""

from __future__ import annotations

from scsp_player.kernels import helper
from scsp_player.solver.domain_kernels import Record, Records, Tables, move_value, shrink, wide

COLUMNS = 5
"""Columns of one entry a node in the scratch space of a constraint."""


@helper
def match(variables: Records, constraints: Records, slots: Records, values: Records, tables: Tables, c: int) -> bool:
    """Matches every variable with a living value, beginning with what is left of the last matching; False if there is no way."""
    begin = wide(constraints[c].first_slot)
    size = constraints[c + 1].first_slot - begin
    count = wide(constraints[c].first_row)
    limited = count - constraints[c].most
    mate = wide(constraints[c].first_cell)
    holder = mate + size
    queue = holder + count  # slots whose value could be given up
    asker = queue + size + count + 1  # for each value the slot that asked for it, −1 for none
    asked = asker + size + count + 1  # and the id by which that slot would have it
    for v in range(count):
        tables[holder + v] = -1
    for k in range(size):
        slot = slots[begin + k]
        slot.changed = 0
        value = wide(tables[mate + k])
        if value >= 0:
            variable = variables[slot.variable]
            if values[value].place >= variable.first + variable.alive:
                tables[mate + k] = -1
            else:
                number = tables[slot.first_residue + value - variable.first]
                if number < limited:
                    tables[holder + number] = k
    for start in range(size):
        if tables[mate + start] >= 0:
            continue
        for v in range(count):
            tables[asker + v] = -1
        tables[queue] = start
        head = wide(0)
        tail = wide(1)
        free = wide(-1)
        while head < tail and free < 0:
            k = wide(tables[queue + head])
            head += 1
            slot = slots[begin + k]
            first = wide(variables[slot.variable].first)
            for p in range(first, first + variables[slot.variable].alive):
                value = wide(values[p].listed)
                number = wide(tables[slot.first_residue + value - first])
                if tables[asker + number] >= 0:
                    continue
                tables[asker + number] = k
                tables[asked + number] = value
                if number >= limited or tables[holder + number] < 0:
                    free = number
                    break
                tables[queue + tail] = tables[holder + number]
                tail += 1
        if free < 0:
            return False
        while True:
            k = wide(tables[asker + free])
            before = wide(tables[mate + k])
            tables[mate + k] = tables[asked + free]
            if free < limited:
                tables[holder + free] = k
            if k == start:
                break
            slot = slots[begin + k]
            free = wide(tables[slot.first_residue + before - variables[slot.variable].first])
    return True


@helper
def following(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    c: int,
    node: int,
    step: int,
) -> int:
    """The node to which ``node`` points at ``step``; −1 if it points nowhere there, −2 if there are no more steps."""
    begin = wide(constraints[c].first_slot)
    size = constraints[c + 1].first_slot - begin
    count = wide(constraints[c].first_row)
    limited = count - constraints[c].most
    mate = wide(constraints[c].first_cell)
    sink = size + count
    if node < size:
        slot = slots[begin + node]
        variable = variables[slot.variable]
        if step >= variable.alive:
            return wide(-2)
        value = wide(values[variable.first + step].listed)
        if value == tables[mate + node]:
            return wide(-1)
        number = wide(tables[slot.first_residue + value - variable.first])
        return wide(size + number) if number < limited else wide(sink)
    if node < sink:
        if step > 0:
            return wide(-2)
        holder = wide(tables[mate + node])
        return holder if holder >= 0 else wide(sink)
    if step >= sink:
        return wide(-2)
    if step < size:
        slot = slots[begin + step]
        number = tables[slot.first_residue + tables[mate + step] - variables[slot.variable].first]
        return wide(step) if number >= limited else wide(-1)
    return wide(step) if step - size < limited and tables[mate + step] >= 0 else wide(-1)


@helper
def join_components(variables: Records, constraints: Records, slots: Records, values: Records, tables: Tables, c: int) -> None:
    """Writes the number of its strongly connected component for every node into the second column (Tarjan, without recursion)."""
    size = constraints[c + 1].first_slot - wide(constraints[c].first_slot)
    nodes = size + wide(constraints[c].first_row) + 1
    reached = wide(constraints[c].first_cell) + nodes - 1  # when a node was reached, from 1 on; 0 before
    component = reached + nodes  # the earliest node on the stack that it leads to, and at last, negative, its component
    stack = component + nodes
    path = stack + nodes
    steps = path + nodes
    for i in range(2 * nodes):
        tables[reached + i] = 0
    clock = wide(0)
    stacked = wide(0)
    found = wide(0)
    for root in range(size):
        if tables[reached + root] > 0:
            continue
        depth = wide(0)
        tables[path] = root
        tables[steps] = 0
        clock += 1
        tables[reached + root] = clock
        tables[component + root] = clock
        tables[stack + stacked] = root
        stacked += 1
        while depth >= 0:
            node = wide(tables[path + depth])
            child = following(variables, constraints, slots, values, tables, c, node, wide(tables[steps + depth]))
            tables[steps + depth] += 1
            if child >= 0:
                if tables[reached + child] == 0:
                    clock += 1
                    tables[reached + child] = clock
                    tables[component + child] = clock
                    tables[stack + stacked] = child
                    stacked += 1
                    depth += 1
                    tables[path + depth] = child
                    tables[steps + depth] = 0
                elif tables[component + child] > 0:
                    tables[component + node] = min(tables[component + node], tables[reached + child])
            elif child == -2:
                depth -= 1
                if tables[component + node] == tables[reached + node]:
                    found -= 1
                    while True:
                        stacked -= 1
                        member = wide(tables[stack + stacked])
                        tables[component + member] = found
                        if member == node:
                            break
                elif depth >= 0:
                    above = wide(tables[path + depth])
                    tables[component + above] = min(tables[component + above], tables[component + node])


@helper
def revise_different(
    variables: Records,
    constraints: Records,
    slots: Records,
    values: Records,
    tables: Tables,
    trail: Records,
    control: Record,
    c: int,
) -> bool:
    """GAC on the variables of ``c`` being all different; False if they cannot be."""
    if not match(variables, constraints, slots, values, tables, c):
        return False
    join_components(variables, constraints, slots, values, tables, c)
    begin = wide(constraints[c].first_slot)
    size = constraints[c + 1].first_slot - begin
    count = wide(constraints[c].first_row)
    limited = count - constraints[c].most
    mate = wide(constraints[c].first_cell)
    component = mate + 2 * (size + count) + 1
    for k in range(size):
        x = wide(slots[begin + k].variable)
        first = wide(variables[x].first)
        end = first + variables[x].alive
        for p in range(end - 1, first - 1, -1):
            value = wide(values[p].listed)
            number = wide(tables[slots[begin + k].first_residue + value - first])
            if (
                number < limited
                and value != tables[mate + k]
                and tables[component + k] != tables[component + size + number]
            ):
                end -= 1
                move_value(values, value, end)
        if end - first < variables[x].alive:
            shrink(variables, constraints, slots, trail, control, x, end - first, c)
    return True
