"""The agents by name."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from scsp_player.agents.base import Agent, Report, ignore_report


@dataclass(frozen=True, slots=True)
class AgentKind:
    """An agent that can be named on the command line.

    Attributes:
        name: how it is called.
        description: one line for the list of agents.
        module: module that holds the class; imported only when an agent of this kind is made.
        factory: name of the class, or of a function that takes a ``Report``, in that module.
    """

    name: str
    description: str
    module: str
    factory: str

    def load(self) -> None:
        """Import and compile everything that the agent needs, so that making one is quick."""
        factory = getattr(importlib.import_module(self.module), self.factory)
        if isinstance(factory, type) and issubclass(factory, Agent):
            factory.prepare()

    def make(self, report: Report = ignore_report) -> Agent:
        """A new agent for one match."""
        agent: Agent = getattr(importlib.import_module(self.module), self.factory)(report)
        return agent


_KINDS = (
    AgentKind(
        "mac-ucb",
        "enumerates the policies of each turn with the constraint solver, samples them by upper confidence bounds",
        "scsp_player.agents.mac_ucb",
        "MacUcbAgent",
    ),
    AgentKind(
        "woodstock",
        "MAC-UCB as published: one list of micro-SCSPs, the most promising first",
        "scsp_player.agents.woodstock",
        "WoodstockAgent",
    ),
    AgentKind("uct", "classical UCT tree search, one random playout a leaf", "scsp_player.agents.uct", "UctAgent"),
    AgentKind(
        "pimc",
        "hidden states drawn from the belief, searched as if everybody saw them",
        "scsp_player.agents.pimc",
        "PimcAgent",
    ),
    AgentKind(
        "hyperplay",
        "a bag of hidden states, a search in each, moves by their mean",
        "scsp_player.agents.hyperplay",
        "HyperPlayAgent",
    ),
    AgentKind(
        "ismcts",
        "as mac-ucb; with hidden information, statistics shared by the states that a role cannot tell apart",
        "scsp_player.agents.ismcts",
        "IsmctsAgent",
    ),
    AgentKind("random", "plays legal moves at random, each with the same chance", "scsp_player.agents.random", "RandomAgent"),
    AgentKind("legal", "plays the first legal move in alphabetical order", "scsp_player.agents.legal", "LegalAgent"),
)

AGENTS: dict[str, AgentKind] = {kind.name: kind for kind in _KINDS}
"""Name to agent; to add an agent, write its class and add a line to the table above."""


def agent_kind(name: str) -> AgentKind:
    """The agent with this name; ``module:Class`` names an agent that is not in the table, such as your own.

    Raises:
        LookupError: if there is none; the text says which there are.
    """
    if name in AGENTS:
        return AGENTS[name]
    module, colon, factory = name.partition(":")
    if not (colon and factory.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise LookupError(f"there is no agent called {name}; there are {', '.join(AGENTS)}, or name your own as module:Class")
    return AgentKind(name, "an agent from elsewhere", module, factory)
