"""What goes wrong: mistakes of the caller are TypeError and ValueError; the failures of the world are Error."""
import re
from difflib import get_close_matches


class Error(Exception):
    """The link, the server or the system failed. `code` is the code of Lua's `nil, message, code`, for example ELINK."""

    def __init__(self, message, code="EUNKNOWN"):
        super().__init__(message)
        self.code = code


class LinkError(Error, ConnectionError):
    """There is no connection: ELINK, EADDRESS, ECLOSED."""


class Timeout(Error, TimeoutError):
    """No answer in time: ETIMEOUT."""


class Refused(Error):
    """A command of `must` was not carried out. `code` is its signal, `result` its result."""

    def __init__(self, message, result):
        super().__init__(message, result.signal)
        self.result = result


KINDS = {"ELINK": LinkError, "EADDRESS": LinkError, "ECLOSED": LinkError, "ETIMEOUT": Timeout}


def failure(code, message):
    """The exception for a code such as ELINK."""
    return KINDS.get(code, Error)(message, code)


def late(what, name, seconds):
    """A time-out of a command, a query …"""
    return failure("ETIMEOUT", "%s of %s: no answer within %.3g s" % (what, name, seconds))


def said(log):
    """The errors of a log of the program, without their instants and levels."""
    return re.sub(r"(?m)^(\S+Z )?robotalk: (error: |\w+: .*\n?)", "", log).strip()


def closed():
    return failure("ECLOSED", "the robot is closed")


def near(name, names):
    """The one of the names that was perhaps meant, or None."""
    return next(iter(get_close_matches(str(name), list(names), 1)), None)


def lacking(robot, noun, name, names):
    """NA: a robot has no such sensor or camera."""
    names, meant = list(names), near(name, names)
    return failure("NA", "robot %s has no %s%s%s" % (robot, noun, "" if name is None else " %s" % name, "" if not names else "; %sit has %s%s" % (
        "did you mean %s? " % meant if meant else "", ", ".join(names[:8]), " and more" * (len(names) > 8))))


def refuse(what, noun, name, names, others=()):
    """Raises: `what` has no such field, joint …; the message lists what it has."""
    names = sorted(names)
    meant = near(name, names) or near(name, sorted(others))
    raise ValueError("%s has no %s '%s'; %s has %s" % (
        what, noun, name, "did you mean '%s'? It" % meant if meant else "it", ", ".join(names) or "none"))
