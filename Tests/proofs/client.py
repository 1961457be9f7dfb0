"""The HTTP client of the proofs."""

import http.client
import json
from typing import NamedTuple

JSON = {"Content-Type": "application/json"}


class Answer(NamedTuple):
    """What a server has answered. The names of headers are in small letters."""

    status: int
    headers: dict
    body: bytes

    @property
    def object(self):
        return json.loads(self.body)

    @property
    def kind(self):
        """The kind of a problem; without one nothing."""
        is_problem = self.headers.get("content-type") == "application/problem+json"
        return self.object["type"].rpartition(":")[2] if is_problem else None

    def __repr__(self):
        return f"{self.status} {self.body[:300].decode(errors='replace').strip()}"


class Client:
    """A connection that stays open, and the token that its calls carry."""

    def __init__(self, port, token=None, timeout=35, tls=None):
        """With a context of TLS the connection is one of HTTPS."""
        self.token = token
        secured = {"context": tls} if tls else {}
        self.connection = (http.client.HTTPSConnection if tls else http.client.HTTPConnection)("127.0.0.1", port, timeout=timeout, **secured)

    def call(self, method, path, body=None, headers=None, token=None):
        """The answer to a call; an object goes as JSON."""
        fields = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            fields = JSON | fields
        token = token or self.token
        if token:
            fields["Authorization"] = f"Bearer {token}"
        try:
            self.connection.request(method, path, body, fields)
            answer = self.connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        except (OSError, http.client.HTTPException):
            # The next call makes a new one.
            self.connection.close()
            raise

    def get(self, path, token=None):
        return self.call("GET", path, token=token)

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def call(port, method, path, body=None, headers=None, timeout=35):
    """The answer to one call, by a connection of its own."""
    with Client(port, timeout=timeout) as client:
        return client.call(method, path, body, headers)
