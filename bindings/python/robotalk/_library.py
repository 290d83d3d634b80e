"""librobotalk.so: where it is, its functions and its structs (core/robotalk.h, core/robotalk/*.h)."""
import ctypes
import os
import platform
from ctypes import (CDLL, POINTER, PyDLL, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8,
                    c_uint16, c_uint32, c_uint64, c_void_p)

from ._errors import failure

API_VERSION = 7
NO_TIME = -(1 << 63)  # ROBO_NO_TIME and ROBO_AT_ONCE
SECOND = 1000000000


def builds():
    """Build folders of the tree that this package is in, or was installed from."""
    trees = [os.path.join(os.path.dirname(__file__), "..", "..", "..")]
    try:
        from ._tree import TREE  # written by pip install
        trees.append(TREE)
    except ImportError:
        pass
    return [os.path.join(tree, "build", how) for tree in trees for how in ("release", "dev")]


def candidates():
    if os.environ.get("ROBOTALK_LIBRARY"):
        return [os.environ["ROBOTALK_LIBRARY"]]
    there = [os.path.join(build, "librobotalk.so") for build in builds()]
    return [path for path in there if os.path.exists(path)] + ["librobotalk.so.0"]


def load():
    if platform.machine() not in ("x86_64", "aarch64"):
        raise ImportError("robotalk: structs of one integer are passed as that integer on x86-64 and 64-bit ARM only")
    why = None
    for path in candidates():
        try:
            found = CDLL(path)
        except OSError as error:
            why = error
            continue
        version = found.robo_api_version()
        if version != API_VERSION:
            raise ImportError("%s has version %d of the interface, this package needs %d" % (path, version, API_VERSION))
        return path, found
    raise ImportError("robotalk: there is no librobotalk.so: build the tree (./run --help), install it, or set "
                      "ROBOTALK_LIBRARY (%s)" % why)


def program():
    """The program robotalk: $ROBOTALK, beside the library, or in the search path."""
    from shutil import which
    folder = os.path.dirname(os.path.realpath(path))
    for there in (os.environ.get("ROBOTALK"), os.path.join(folder, "robotalk"), os.path.join(folder, "..", "bin", "robotalk"),
                  os.path.join(folder, "..", "..", "bin", "robotalk"), which("robotalk")):
        if there and os.access(there, os.X_OK) and os.path.isfile(there):
            return there
    raise failure("ENONE", "there is no program robotalk beside %s, nor in the search path; set ROBOTALK" % path)


def struct(name, /, **fields):
    return type(name, (Structure,), {"_fields_": list(fields.items())})


Field = struct("robo_field", name=c_char_p, unit=c_char_p, doc=c_char_p, kind=c_uint8, offset=c_uint16, counter=c_uint16,
               wide=c_uint8, none=c_uint8, count=c_uint16, max=c_uint16, per=c_double, lo=c_int64, hi=c_int64)
Message = struct("robo_message", name=c_char_p, size=c_size_t, fixed=c_size_t, bytes=c_size_t, least=c_size_t, nfields=c_size_t,
                 fields=POINTER(Field))
Operation = struct("robo_operation", name=c_char_p, op=c_uint16, request=POINTER(Message), reply=POINTER(Message), doc=c_char_p,
                   retained=c_uint8)
Section = struct("robo_section", noun=c_char_p, record=c_char_p, count=c_size_t, first=c_size_t, size=c_size_t, most=c_uint)
Word = struct("robo_word", number=c_int, name=c_char_p, doc=c_char_p)
CommandKind = struct("robo_command_kind", moves=c_int, servo=c_uint8, goal=c_uint8, lasting=c_uint8, first=c_uint8, values=c_uint8)
ClientOptions = struct("robo_client_options", size=c_size_t, reconnect=c_int, channel=c_void_p, notify=c_void_p, owner=c_void_p,
                       role=c_int, name=c_char_p, apart=c_int, token=c_char_p, key=c_uint64)
SessionOptions = struct("robo_session_options", size=c_size_t, robot=c_char_p, mode=c_char_p, options=c_char_p, delay=c_int64,
                        duration=c_int64, deadman=c_int64, gap=c_int64, expiry=c_int64, errors_only=c_int, newest=c_int)
Event = struct("robo_event", kind=c_int, op=c_uint16, session=c_int64, id=c_int64)
Part = struct("robo_part", kind=c_uint8, signal=c_uint8, reason=c_uint8, number=c_uint16)
MoveDof = struct("robo_move_dof", value=c_double, velocity=c_double, limit=c_double, dof=c_uint16, servo=c_uint8)
MoveFrame = struct("robo_move_frame", frame=c_uint16, servo=c_uint8, free=c_uint8, value=c_double * 6)
Move = struct("robo_move", parts=c_uint16, dofs=c_uint16, frames=c_uint16, base=c_double * 3, dof=POINTER(MoveDof),
              frame=POINTER(MoveFrame))
Picture = struct("robo_picture", number=c_uint64, time=c_int64, width=c_uint16, height=c_uint16, format=c_uint8, size=c_size_t,
                 bytes=c_void_p)
Timing = struct("robo_timing", offset=c_int64, uncertainty=c_int64, drift=c_double, least=c_int64, median=c_int64, jitter=c_int64,
                exchanges=c_uint32, probing=c_uint32)
Pose = struct("robo_pose", position=c_double * 3, rotation=c_double * 9)
IkOptions = struct("robo_ik_options", size=c_size_t, position_tolerance=c_double, rotation_tolerance=c_double, rotation_weight=c_double,
                   iterations=c_uint, attempts=c_uint, seed=c_uint64, fixed=c_uint64 * 8)
IkReport = struct("robo_ik_report", position_error=c_double, rotation_error=c_double, at_limit=c_uint64 * 8, singularity=c_double,
                  iterations=c_uint, attempts=c_uint)

path, lib = load()
# The same functions, called with the interpreter's lock held: those that wait for the loop's lock alone, whose holders never wait for
# the interpreter.
quick = PyDLL(path)

P, I, L, Z = c_void_p, c_int, c_int64, c_size_t
for _name, _result, *_args in (
        ("robo_open", P, P), ("robo_loop_open", P, P), ("robo_loop_share", None, P), ("robo_loop_start", I, P),
        ("robo_client_open", P, P, c_char_p, P, P, P), ("robo_client_state", I, P),
        ("robo_client_wait", I, P, L, P), ("robo_client_why", c_char_p, P), ("robo_client_role", I, P), ("robo_disconnect", None, P),
        ("robo_session_begin", L, P, P, P), ("robo_session_end", None, P, L), ("robo_send", L, P, L, P, Z),
        ("robo_request", L, P, L, I, P), ("robo_client_panic", I, P, L), ("robo_client_reset", I, P, L), ("robo_wait", I, P, L, L),
        ("robo_take", I, P, L, P, Z), ("robo_take_reply", I, P, L, P, Z), ("robo_take_picture", I, P, L, P, Z),
        ("robo_parts", I, P, L, P, Z), ("robo_poll", I, P, L), ("robo_next_event", I, P, P, Z), ("robo_session_news", I, P, L, P),
        ("robo_session_asked", I, P, L, c_uint32, P), ("robo_client_dismiss", None, P), ("robo_client_readmit", None, P),
        ("robo_client_timing", I, P, P), ("robo_client_probe", None, P, c_uint32, L), ("robo_client_train", None, P, c_uint32),
        ("robo_drop", None, P, L), ("robo_body_read", I, c_char_p, Z, P, P, P), ("robo_body_release", None, P),
        ("robo_body_description", P, P), ("robo_body_model", P, P), ("robo_fk", None, P, P, P),
        ("robo_frame_pose", I, P, P, c_uint, P), ("robo_rotation_to_attitude", None, P, P),
        ("robo_attitude_to_rotation", None, P, P), ("robo_jacobian", I, P, P, c_uint, P, P), ("robo_ik", I, P, c_uint, P, P, P, P),
        ("robo_client_reload", L, P, L, P), ("robo_jpeg_decode", I, c_char_p, Z, I, P, Z), ("robo_test_relay_open", I, c_uint16, P, P),
        ("robo_test_relay_port", c_uint16, P), ("robo_test_relay_cut", None, P), ("robo_test_relay_close", None, P),
        ("robo_now", L, P), ("robo_strerror", c_char_p, I), ("robo_error_name", c_char_p, I),
        ("robo_queries", POINTER(Operation)), ("robo_commands", POINTER(Operation)), ("robo_notices", POINTER(Operation)),
        ("robo_message_named", POINTER(Message), c_char_p), ("robo_sections", POINTER(Section)),
        ("robo_signal_words", POINTER(Word)), ("robo_reason_words", POINTER(Word)), ("robo_moves_words", POINTER(Word)),
        ("robo_command_kind_of", POINTER(CommandKind), c_uint)):
    for _function in getattr(lib, _name), getattr(quick, _name):
        _function.restype, _function.argtypes = _result, _args


def code_of(error):
    return quick.robo_error_name(error).decode()


def error_of(error, why=b""):
    """The exception for a negative status."""
    return failure(code_of(error), (why or quick.robo_strerror(error)).decode("utf-8", "replace"))
