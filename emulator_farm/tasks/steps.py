"""What `setup` and `teardown` can do to a phone: a closed set, each step with one meaning on any phone over ADB."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from emulator_farm.tasks.text import Column, Key, Namespace, Noun, Package, Path, Text, Uri


class PutSetting(Noun):
    """Write a settings value."""

    kind: Literal["put_setting"] = "put_setting"
    namespace: Namespace
    key: Key
    value: Text


class DeleteSetting(Noun):
    """Remove a settings value, so that its default counts."""

    kind: Literal["delete_setting"] = "delete_setting"
    namespace: Namespace
    key: Key


class ClearApp(Noun):
    """Stop an app and wipe its data (`pm clear`)."""

    kind: Literal["clear_app"] = "clear_app"
    package: Package


class StopApp(Noun):
    """Stop an app; its data stays (`am force-stop`)."""

    kind: Literal["stop_app"] = "stop_app"
    package: Package


class OpenApp(Noun):
    """Bring an app to the front, by name or package."""

    kind: Literal["open_app"] = "open_app"
    app: Annotated[Text, Field(min_length=1)]


class AddContact(Noun):
    """Store a contact with a name and, where given, a phone number and an e-mail address."""

    kind: Literal["add_contact"] = "add_contact"
    name: Annotated[Text, Field(min_length=1)]
    phone: Text | None = None
    email: Text | None = None


class InsertRow(Noun):
    """Insert one row through a content provider."""

    kind: Literal["insert_row"] = "insert_row"
    uri: Uri
    values: Annotated[dict[Column, Text], Field(min_length=1)]


class DeleteRows(Noun):
    """Delete the rows of a content provider whose columns equal `where`; all rows without it."""

    kind: Literal["delete_rows"] = "delete_rows"
    uri: Uri
    where: dict[Column, Text] = Field(default_factory=dict)


class WriteFile(Noun):
    """Write a text file, its folders included."""

    kind: Literal["write_file"] = "write_file"
    path: Path
    text: Text


class DeleteFile(Noun):
    """Delete a file or a folder with all that is in it; fine if it is not there."""

    kind: Literal["delete_file"] = "delete_file"
    path: Path


class GoHome(Noun):
    """Show the home screen."""

    kind: Literal["go_home"] = "go_home"


class Broadcast(Noun):
    """Send a broadcast intent with text extras."""

    kind: Literal["broadcast"] = "broadcast"
    action: Key
    package: Package | None = None
    extras: dict[Key, Text] = Field(default_factory=dict)


def _named(argv: tuple[str, ...]) -> tuple[str, ...]:
    if not argv[0].strip():
        raise ValueError("the first word is the command and must not be empty")
    return argv


class Shell(Noun):
    """Run one command on the phone, given as a list of words; each is quoted, so a word stays one word."""

    kind: Literal["shell"] = "shell"
    argv: Annotated[tuple[Text, ...], Field(min_length=1, strict=False), AfterValidator(_named)]


Step = Annotated[
    PutSetting
    | DeleteSetting
    | ClearApp
    | StopApp
    | OpenApp
    | AddContact
    | InsertRow
    | DeleteRows
    | WriteFile
    | DeleteFile
    | GoHome
    | Broadcast
    | Shell,
    Field(discriminator="kind"),
]

STEP_KINDS: dict[str, type[Noun]] = {model.model_fields["kind"].default: model for model in get_args(get_args(Step)[0])}
"""Every step by its name in a task file."""
