"""The bench itself: a model server that serves and is used again. That none is left is checked where one is replaced
(test_verify.py) and at the end of every session (`nothing_left`)."""

from __future__ import annotations


def test_the_common_server_serves_its_checkpoint(served):
    models = served.get("/v1/models").json()["data"]
    assert [(model["id"], model["root"]) for model in models] == [("tiny", str(served.checkpoint))]
    answer = served.complete(messages=[{"role": "user", "content": "Hello"}], max_tokens=3)
    assert answer["usage"]["completion_tokens"] in (1, 2, 3)


def test_a_server_is_used_again(served, model_server, checkpoint):
    assert model_server(checkpoint()) is served
