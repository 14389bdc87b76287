"""From LLVM's intermediate language to callable functions, with the object code kept on disk."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import platform
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm

CACHE_BYTES: Final = 32 << 20
"""Object code that is kept on disk; what was used longest ago goes first."""

CACHE_VARIABLE: Final = "SCSP_PLAYER_CACHE_DIR"
"""Environment variable with the folder of the cache; an empty value switches it off."""

VECTORS_VARIABLE: Final = "SCSP_PLAYER_VECTORS"
"""Environment variable with the most that is used of the processor: ``avx512``, ``avx2`` or ``none``; by default what it has."""

_HEADER: Final = 32  # bytes: a digest of what follows it
_VECTORS: Final = {"none": 0, "avx2": 256, "avx512": 512}
_FEATURE: Final = {"avx2": "avx2", "avx512": "avx512f"}


@dataclass(frozen=True)
class Processor:
    """What code is made for.

    Attributes:
        name: LLVM's name of the processor.
        features: its features as LLVM's list.
        vectors: bits of the vectors that machine code is written for here: 512 with AVX-512F and 256 with AVX2 on an x86-64
            processor that is called by the System V convention; otherwise 0.
    """

    name: str
    features: str
    vectors: int

    @property
    def words(self) -> int:
        """How many 64-bit words code should work on at once."""
        return (self.vectors or 256) // 64


@cache
def processor() -> Processor:
    """The processor of this machine, as far as the environment allows it to be used.

    Raises:
        ValueError: if the environment names vectors that there are not.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Features that the system does not save when it switches tasks are not reported.
    features = llvm.get_host_cpu_features()
    allowed = os.environ.get(VECTORS_VARIABLE) or "avx512"
    if allowed not in _VECTORS:
        raise ValueError(f"{VECTORS_VARIABLE} must be one of {', '.join(_VECTORS)}, not {allowed!r}")
    x86 = platform.machine().lower() in ("x86_64", "amd64") and sys.platform != "win32"
    there = [name for name, feature in _FEATURE.items() if x86 and features.get(feature, False)]
    widest = max((_VECTORS[name] for name in there), default=0)
    return Processor(llvm.get_host_cpu_name(), features.flatten(), min(widest, _VECTORS[allowed]))


def object_code(source: bytes, text: Callable[[], str]) -> bytes:
    """Optimised object code of a module, from the cache if it is there.

    Args:
        source: what the module is written from; other code must have another source.
        text: writes the module in LLVM's textual language.
    """
    host = processor()
    about = "\0".join([llvmlite.__version__, host.name, host.features, ""]).encode()
    key = hashlib.sha256(about + source).hexdigest()
    store = ObjectStore.standard()
    known = store.get(key) if store else None
    if known is not None:
        return known
    code = _compiled(text())
    if store:
        store.put(key, code)
    return code


def _machine() -> Any:
    host = processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=host.name, features=host.features, opt=2, reloc="static", codemodel="jitdefault", jit=True
    )


def _compiled(text: str) -> bytes:
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    result: bytes = machine.emit_object(module)
    return result


_linking: Final = threading.Lock()
_serial = iter(range(1 << 62))


@cache
def _linker() -> Any:
    return llvm.create_lljit_compiler(_machine())


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions in memory; they disappear together with this object.

    Attributes:
        address: where each function begins.
    """

    address: dict[str, int]
    _tracker: Any = field(repr=False)

    @classmethod
    def of(cls, code: bytes, names: Sequence[str]) -> Functions:
        """Load object code and find its functions."""
        library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            library.export_symbol(name)
        with _linking:
            tracker = library.link(_linker(), f"code{next(_serial)}")
        return cls({name: tracker[name] for name in names}, tracker)


@dataclass(frozen=True)
class ObjectStore:
    """Object code on disk, one file a module, named by what it was made from.

    Only files and a folder that belong to the user and that nobody else may write to are read. Files that are damaged, and a disk
    that is full or read-only, are no errors: then code is compiled again.
    """

    folder: Path

    @classmethod
    def standard(cls) -> ObjectStore | None:
        """The store of this user, None if there can be none."""
        chosen = os.environ.get(CACHE_VARIABLE)
        if chosen == "":
            return None
        try:
            base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scsp-player"
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(base) if _private(base) else None
        except (OSError, RuntimeError):
            return None

    def get(self, key: str) -> bytes | None:
        """The object code with a key, None if there is none that can be trusted."""
        path = self.folder / f"{key}.o"
        try:
            if not _private(path):
                return None
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        digest, code = content[:_HEADER], content[_HEADER:]
        return code if hashlib.sha256(code).digest() == digest else None

    def put(self, key: str, code: bytes) -> None:
        """Keep object code."""
        try:
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".new")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(name, self.folder / f"{key}.o")
            self._bound()
        except OSError:
            return

    def _bound(self) -> None:
        """Delete the files used longest ago until the others are at most ``CACHE_BYTES``."""
        files = [(file.stat(), file) for file in self.folder.glob("*.o")]
        total = sum(facts.st_size for facts, _ in files)
        for facts, file in sorted(files, key=lambda entry: entry[0].st_mtime):
            if total <= CACHE_BYTES:
                break
            file.unlink(missing_ok=True)
            total -= facts.st_size


def _private(path: Path) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write to it."""
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


class ExecutableMemory:
    """Machine code that was generated here, in memory of its own."""

    def __init__(self, code: bytes) -> None:
        """Copy the code; OSError if the system forbids executing it."""
        self._memory = mmap.mmap(-1, max(len(code), 1), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._memory.write(code)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
