"""The micro-SCSP template of a game, its injection with a state, and several turns in a row."""

from scsp_player.network.errors import NetworkTooLargeError
from scsp_player.network.groups import StateGroup, state_groups
from scsp_player.network.machine import NetworkMachine
from scsp_player.network.micro_scsp import MicroSCSP, inject, injected_instance, joint_moves, state_values, successor_states
from scsp_player.network.translation import template
from scsp_player.network.unrolling import Unrolled, unroll

__all__ = [
    "MicroSCSP",
    "NetworkMachine",
    "NetworkTooLargeError",
    "StateGroup",
    "Unrolled",
    "inject",
    "injected_instance",
    "joint_moves",
    "state_groups",
    "state_values",
    "successor_states",
    "template",
    "unroll",
]
