from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.json_file import read_object


def test_an_object(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"r": 8}')
    assert read_object(path) == {"r": 8}


@pytest.mark.parametrize(
    ("content", "words"), [(None, "cannot be read here: No such file"), ("{", "is not JSON"), ("[1]", "not a JSON obj")]
)
def test_anything_else(tmp_path, content, words):
    path = tmp_path / "config.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InvalidRequest, match=rf"config\.json {words}|config\.json is {words}"):
        read_object(path)
