"""The object code on disk: only what is whole, one's own and not open to others is used; its size is bounded."""

from __future__ import annotations

import os
import stat

import pytest

from scsp_player.propnet import native
from scsp_player.propnet.native import CACHE_VARIABLE, ObjectStore, object_code

MODULE = "define i64 @answer() { ret i64 42 }"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return ObjectStore.standard()


def test_code_is_written_once(store):
    written = []

    def text():
        written.append(1)
        return MODULE

    first = object_code(b"answer", text)
    assert object_code(b"answer", text) == first
    assert len(written) == 1
    object_code(b"other", text)
    assert len(written) == 2


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 1000])
def test_damaged_files_are_not_used(store, damage):
    store.put("key", b"code")
    assert store.get("key") == b"code"
    (store.folder / "key.o").write_bytes(damage)
    assert store.get("key") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files here")
def test_what_others_may_write_to_is_not_used(store, monkeypatch):
    store.put("key", b"code")
    (store.folder / "key.o").chmod(0o666)
    assert store.get("key") is None
    (store.folder / "key.o").chmod(0o600)
    assert store.get("key") == b"code"
    store.folder.chmod(stat.S_IRWXU | stat.S_IWOTH)
    assert ObjectStore.standard() is None
    store.folder.chmod(0o700)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert store.get("key") is None
    assert ObjectStore.standard() is None


def test_symbolic_links_are_not_followed(store, tmp_path):
    store.put("key", b"code")
    (store.folder / "key.o").rename(tmp_path / "elsewhere.o")
    (store.folder / "key.o").symlink_to(tmp_path / "elsewhere.o")
    assert store.get("key") is None


def test_old_files_make_room(store, monkeypatch):
    monkeypatch.setattr(native, "CACHE_BYTES", 1000)
    for number in range(5):
        store.put(f"key{number}", b"x" * 300)
        os.utime(store.folder / f"key{number}.o", (number, number))
    store.put("last", b"x" * 300)
    assert sum(file.stat().st_size for file in store.folder.iterdir()) <= 1000
    assert store.get("key0") is None
    assert store.get("last") is not None


def test_no_cache_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, "")
    assert ObjectStore.standard() is None
    assert object_code(b"answer", lambda: MODULE)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    assert object_code(b"answer", lambda: MODULE)
