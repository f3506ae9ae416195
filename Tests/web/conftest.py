"""The program and a directory for its sockets."""

from built import folder, program  # noqa: F401
