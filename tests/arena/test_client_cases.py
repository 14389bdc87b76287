"""Known cases that concern the manager's end: numbers P01… of the known cases."""

import asyncio
import contextlib

import pytest

from scsp_player.agents.base import Turn
from scsp_player.agents.random import RandomAgent
from scsp_player.gdl.reading import parse_program, parse_term
from scsp_player.protocol import PeerError, ask, parse_info
from tests.arena.stubs import stub_player
from tests.protocol.games import COIN, DUEL


async def silence(message):
    await asyncio.sleep(60)


async def test_p01_a_peer_that_never_answers_preview():
    async with stub_player(silence) as (peer, _):
        with pytest.raises(PeerError, match="timeout"):
            await ask(peer.address, "(PREVIEW ((role r)) 10)", 0.1)


@pytest.mark.parametrize(
    ("reply", "name", "available"),
    [
        ("((name x) (status available))", "x", True),
        ("( ( name x ) ( status BUSY ) )", "x", False),
        ("((NAME x) (STATUS Available))", "x", True),
        ("((status busy))", "", False),
        ("available", "", True),
        ("BUSY\r\n", "", False),
        ("(name x) (status available)", "x", True),
    ],
)
async def test_p07_every_form_of_a_status(reply, name, available):
    async with stub_player(lambda message: reply) as (peer, _):
        info = parse_info((await ask(peer.address, "(INFO)", 2)).text)
    assert (info.name, info.available) == (name, available)


async def test_p02_a_peer_that_counts_characters():
    async with stub_player(lambda m: "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\n(mär 1)".encode()) as (peer, _):
        assert (await ask(peer.address, "(PLAY m NIL)", 2)).text == "(mär 1)"


def moves_of(seed):
    agent = RandomAgent()
    agent.start(parse_program(DUEL, "<duel>"), "left", play_seconds=1, deadline=0, seed=seed)
    joint = parse_term("(choose 1)"), parse_term("(choose 2)")
    return [agent.play(Turn(0), 0.0), agent.play(Turn(1, joint), 0.0), agent.play(Turn(2, joint), 0.0)]


def test_p19_the_same_seed_gives_the_same_moves():
    assert moves_of(5) == moves_of(5)
    assert len({tuple(moves_of(seed)) for seed in range(8)}) > 1


def test_p20_p21_two_games_at_once_with_chance_and_joint_moves():
    duel, coin = RandomAgent(), RandomAgent()
    duel.start(parse_program(DUEL, "<duel>"), "left", play_seconds=1, deadline=0, seed=1)
    coin.start(parse_program(COIN, "<coin>"), "guesser", play_seconds=1, deadline=0, seed=1)
    duel.play(Turn(0), 0.0)
    assert coin.play(Turn(0), 0.0) == parse_term("noop")
    duel.play(Turn(1, (parse_term("(choose 1)"), parse_term("(choose 2)"))), 0.0)
    assert coin.play(Turn(1, None, parse_term("noop"), frozenset()), 0.0) == parse_term("peek")
    assert [str(move) for move in duel.legal] == ["(choose 1)", "(choose 2)", "(choose 3)"]


@contextlib.asynccontextmanager
async def socket_that(answers):
    """A server that sends bytes as they are, piece by piece, and then closes or not."""

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        for piece in answers:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.03)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def test_p03_p04_answers_in_pieces_from_a_peer_that_never_closes():
    from scsp_player.protocol import Address

    async with socket_that([b"HTTP/1.0 200 OK\r\n", b"\r\n(mark", b" 1 2)"]) as port:
        assert (await ask(Address("127.0.0.1", port), "(PLAY m NIL)", 5)).text == "(mark 1 2)"
