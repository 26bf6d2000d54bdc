"""The bench itself: a model server that serves, is used again, and is gone when it was stopped."""

from __future__ import annotations


def test_the_common_server_serves_its_checkpoint(served):
    models = served.get("/v1/models").json()["data"]
    assert [(model["id"], model["root"]) for model in models] == [("tiny", str(served.checkpoint))]
    answer = served.complete(messages=[{"role": "user", "content": "Hello"}], max_tokens=3)
    assert answer["usage"]["completion_tokens"] in (1, 2, 3)


def test_a_server_is_used_again(served, model_server, checkpoint):
    assert model_server(checkpoint()) is served


def test_a_stopped_server_leaves_no_process(model_server, checkpoint, vllm_processes):
    server = model_server(checkpoint())
    assert any(pid == server.process.pid for pid, _ in vllm_processes())
    model_server.stop()
    assert vllm_processes() == []
    assert server.process.poll() is not None
