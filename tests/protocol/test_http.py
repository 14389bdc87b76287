"""Reading requests and answers however they are cut up."""

import asyncio
import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.protocol import http


class NoWriter:
    def __init__(self):
        self.written = b""

    def write(self, data):
        self.written += data


async def read(*chunks, end=True, writer=None, **options):
    """The request in chunks that come one by one; with ``end`` the peer closes its side after them."""
    reader = asyncio.StreamReader()

    async def feed():
        for chunk in chunks:
            reader.feed_data(chunk)
            await asyncio.sleep(0)
        if end:
            reader.feed_eof()

    feeding = asyncio.create_task(feed())
    try:
        return await http.read_request(reader, writer or NoWriter(), **options)
    finally:
        await feeding


async def refusal(*chunks, **options):
    with pytest.raises(http.HttpError) as caught:
        await read(*chunks, **options)
    return caught.value.status


MESSAGE = "(PLAY m ((mark 1 2) ; (a comment\n noop))"


@settings(max_examples=40, deadline=None)
@given(st.data(), st.sampled_from(["exact", "none", "short", "long"]), st.sampled_from(["\r\n", "\n"]))
def test_any_cut_gives_the_whole_message(data, length, line_end):
    body = MESSAGE.encode()
    count = {"exact": len(body), "short": len(body) - 3, "long": len(body) + 5}.get(length)
    head = "POST / HTTP/1.0" + line_end + (f"Content-Length : {count}{line_end}" if count else "") + "Sender: GM" + line_end * 2
    whole = head.encode() + body
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True) if a < b]
    request = asyncio.run(read(*chunks))
    assert (request.method, request.message) == ("POST", MESSAGE)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=120))
def test_any_bytes_are_a_request_or_refused(data):
    async def attempt():
        with contextlib.suppress(http.HttpError):
            await read(data, request_seconds=2)

    asyncio.run(attempt())


async def test_without_a_length_complete_parentheses_end_the_message():
    request = await read(b"POST / HTTP/1.0\r\n\r\n(PLAY m ", b"NIL)", end=False)
    assert request.message == "(PLAY m NIL)"


async def test_chunked_body():
    request = await read(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n(INFO\r\n1;x=y\r\n)\r\n0\r\n\r\n", end=False)
    assert request.message == "(INFO)"


async def test_a_client_that_waits_for_leave_gets_it():
    writer = NoWriter()
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
    request = await read(head, b"(INFO)", writer=writer)
    assert writer.written.startswith(b"HTTP/1.1 100 ")
    assert request.message == "(INFO)"


async def test_silence_is_no_request():
    assert await read() is None
    assert await read(end=False, idle_seconds=0.02) is None


async def test_refusals():
    assert await refusal(b"PUT / HTTP/1.0\r\n\r\n") == 405
    assert await refusal(b"\x16\x03\x01 TLS hello\r\n\r\n") == 400
    assert await refusal(b"POST / HTTP/1.0\r\n" + b"X: y\r\n" * 20_000) == 431
    assert await refusal(b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n", body_bytes=50) == 413
    assert await refusal(b"POST / HTTP/1.0\r\n\r\n" + b"(" * 60, body_bytes=50) == 413
    assert await refusal(b"POST / HTTP/1.0\r\n\r\n(PLAY", end=False, request_seconds=0.05) == 408
    assert await refusal(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") == 400
    assert await refusal(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", body_bytes=50) == 413


async def answer(*chunks, seconds=2.0):
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    return await http.read_response(reader, asyncio.get_running_loop().time() + seconds)


async def test_answers_of_peers():
    assert await answer(http.response(200, "(mark 1 2)")) == "(mark 1 2)"
    assert await answer(b"HTTP/1.0 200 OK\r\n\r\n noop \r\n") == "noop"
    assert await answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n(mark 1 2)") == "(mark 1 2)"
    for bad in (b"(mark 1 2)", b"", b"HTTP/1.0 500 oops\r\n\r\n"):
        with pytest.raises(http.HttpError):
            await answer(bad)
