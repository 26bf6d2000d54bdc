from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.tokens import TokenFile, read_tokens


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# staff\nalpha\n\n  beta  \n#gamma\n")
    return path


def test_lines_blanks_and_comments(token_file):
    assert read_tokens(token_file) == (b"alpha", b"beta")


def test_tokens_beyond_ascii(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("schlüssel\n")
    assert TokenFile(path).accepts("schlüssel".encode())


def test_a_file_that_is_gone_for_a_moment_locks_nobody_out(token_file, caplog):
    tokens = TokenFile(token_file)
    token_file.unlink()
    assert tokens.accepts(b"alpha")
    assert "earlier tokens stay" in caplog.text
    token_file.write_text("epsilon")
    assert tokens.accepts(b"epsilon")
    assert not tokens.accepts(b"alpha")


def test_files_that_are_no_use(tmp_path):
    with pytest.raises(InvalidRequest, match="cannot be read: No such file"):
        TokenFile(tmp_path / "missing")
    empty = tmp_path / "empty"
    empty.write_text("# nothing\n")
    with pytest.raises(InvalidRequest, match="holds no token"):
        TokenFile(empty)
