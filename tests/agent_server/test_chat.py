"""Messages on their way to the chat completions interface."""

from __future__ import annotations

from agent_server.adapters import CURRENT, ImagePart, Message, TextPart
from agent_server.chat import chat_messages, image_indices

CHAT = [
    Message("system", (TextPart("Be brief."),)),
    Message("user", (TextPart("Before:"), ImagePart(2), TextPart("Now:"), ImagePart(CURRENT))),
    Message("user", (ImagePart(2),)),
]


def test_each_image_once_in_the_order_of_the_prompt():
    assert list(image_indices(CHAT)) == [2, CURRENT]


def test_one_text_is_a_string_everything_else_is_parts():
    system, user, last = chat_messages(CHAT, {2: "data:two", CURRENT: "data:now"})
    assert system == {"role": "system", "content": "Be brief."}
    assert user["content"] == [
        {"type": "text", "text": "Before:"},
        {"type": "image_url", "image_url": {"url": "data:two"}},
        {"type": "text", "text": "Now:"},
        {"type": "image_url", "image_url": {"url": "data:now"}},
    ]
    assert last["content"] == [{"type": "image_url", "image_url": {"url": "data:two"}}]
