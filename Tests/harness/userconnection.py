"""A client that is another user."""

import grp
import os

from connection import Connection

# The numbers of the user nobody and of the group games.
NOBODY, GAMES = 65534, grp.getgrnam("games").gr_gid


class UserConnection(Connection):
    """A connection as another user: the kernel records the user of the thread that connects."""

    def __init__(self, path, user, *requests, groups=()):
        own = os.getgroups()
        os.setgroups(groups)
        os.setegid(user)
        os.seteuid(user)
        try:
            super().__init__(path, *requests)
        finally:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(own)
