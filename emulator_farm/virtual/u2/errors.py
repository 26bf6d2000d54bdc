"""What a call of the server fails with, as JSON-RPC errors carry it."""

from typing import Any

JAVA_ERROR = -32001
NO_SUCH_METHOD = -32601
BAD_PARAMETERS = -32602
NOT_JSON = -32700
NOT_FOUND = "androidx.test.uiautomator.UiObjectNotFoundException"


class RpcError(Exception):
    """An error answer: code, message, data."""

    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_json(self) -> dict[str, Any]:
        """The `error` member of the answer."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return error | ({"data": self.data} if self.data is not None else {})


class JavaError(RpcError):
    """An exception of the server's own: its class is the message, its text and stack trace are the data."""

    def __init__(self, name: str, text: str) -> None:
        trace = "\tat com.wetest.uia2.stub.AutomatorServiceImpl.invoke(Native Method)\n"
        super().__init__(JAVA_ERROR, name, f"{name}: {text}\n{trace}")


class ObjectNotFound(JavaError):
    """Nothing on the screen matches the selector."""

    def __init__(self, what: object) -> None:
        super().__init__(NOT_FOUND, str(what))


class BadParameters(RpcError):
    """No overload of the method takes these parameters."""

    def __init__(self) -> None:
        super().__init__(BAD_PARAMETERS, "method parameters invalid")
