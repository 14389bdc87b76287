"""Named players: what an agent is, and which there are. Each agent has a module of its own, imported when it is made."""

from scsp_player.agents.base import Agent, Report, Turn, ignore_report
from scsp_player.agents.registry import AGENTS, AgentKind, agent_kind

__all__ = ["AGENTS", "Agent", "AgentKind", "Report", "Turn", "agent_kind", "ignore_report"]
