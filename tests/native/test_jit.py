"""Code that was kept is the code that is made anew; what cannot be read back is made anew."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from convergence.semantics.native import jit

TEXT = "define i64 @run(i64 %x) {\n  %y = mul i64 %x, 3\n  ret i64 %y\n}\n"


def called(place: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The function's answer for 14, as a process that has compiled nothing yet would get it."""
    monkeypatch.setenv("CONVCHECK_NATIVE_CACHE", str(place) if place.name else "")
    monkeypatch.setattr(jit, "_known", {})
    answer: int = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(jit.machine_code(TEXT, "run", {}))(14)
    return answer


def test_code_is_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "cache"
    optimized = []
    optimize = jit._optimize

    def noted(*how: Any) -> None:
        optimized.append(1)
        optimize(*how)

    monkeypatch.setattr(jit, "_optimize", noted)
    assert called(place, monkeypatch) == 42
    (file,) = place.iterdir()
    assert called(place, monkeypatch) == 42 and len(optimized) == 1
    file.write_bytes(file.read_bytes()[:-7])
    assert called(place, monkeypatch) == 42 and len(optimized) == 2
    monkeypatch.setattr(jit, "KEPT", 0)
    file.unlink()
    assert called(place, monkeypatch) == 42


def test_nothing_is_kept_where_nothing_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called(Path(), monkeypatch) == 42
    assert jit._place(b"key") is None


def test_a_place_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert called(tmp_path / "file" / "cache", monkeypatch) == 42
