"""Messages of an adapter as those of the chat completions interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_server.adapters import ImagePart, Message, TextPart


def image_indices(messages: Iterable[Message]) -> dict[int, None]:
    """The images that the messages show, each once, in the order in which they first appear."""
    return dict.fromkeys(part.index for message in messages for part in message.parts if isinstance(part, ImagePart))


def chat_messages(messages: Iterable[Message], urls: Mapping[int, str]) -> list[dict[str, object]]:
    """The messages as they are sent; `urls` are the images by their index."""
    return [{"role": message.role, "content": _content(message, urls)} for message in messages]


def _content(message: Message, urls: Mapping[int, str]) -> str | list[dict[str, object]]:
    """OpenAI content parts; a message of one text is a plain string, which every chat template understands."""
    match message.parts:
        case (TextPart(text),):
            return text
        case parts:
            return [_part(part, urls) for part in parts]


def _part(part: TextPart | ImagePart, urls: Mapping[int, str]) -> dict[str, object]:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ImagePart(index):
            return {"type": "image_url", "image_url": {"url": urls[index]}}
