"""Messages as data: structs of the library from dicts and to dicts, by the tables that the library has of them."""
import struct

from ._library import NO_TIME, SECOND, quick

try:
    import numpy
except ImportError:
    numpy = None

REAL, TIME, TEXT = "d", "t", "s"
#            u8   u16  u32  u64  i64  time  real64 real32 text  chars packed
KINDS = ("B", "H", "I", "Q", "q", TIME, REAL, REAL, TEXT, TEXT, REAL)


def seconds(ns):
    """An instant or a span of the library, None where there is none."""
    return None if ns == NO_TIME else ns / SECOND


def array(values):
    """Numbers as a numpy array, or without numpy as a list."""
    return numpy.array(values) if numpy else list(values)


class Field:
    def __init__(self, row):
        self.name, self.unit, self.doc = row.name.decode(), row.unit.decode(), row.doc.decode()
        self.kind, self.offset, self.none, self.max = KINDS[row.kind], row.offset, row.none, row.max
        self.counter = None if row.counter == 0xffff else row.counter
        self.wide, self.many = row.wide, self.counter is not None or row.count > 1
        self.count = row.count
        self.letter = "q" if self.kind == TIME else self.kind
        self.one = struct.Struct("<" + self.letter)
        self.is_real = self.kind == REAL and not self.many

    def pack(self, buffer, base, value):
        at = base + self.offset
        if self.kind == TEXT:
            text = value.encode()
            if len(text) > self.max:
                raise ValueError("%s: want at most %d bytes" % (self.name, self.max))
            struct.pack_into("%ds" % len(text), buffer, at, text)
        elif self.many:
            values = [self.convert(x) for x in value]
            if len(values) > self.max:
                raise ValueError("%s: want at most %d values" % (self.name, self.max))
            struct.pack_into("<%d%s" % (len(values), self.letter), buffer, at, *values)
            if self.counter is not None:
                struct.pack_into("<H" if self.wide else "<B", buffer, base + self.counter, len(values))
        else:
            self.one.pack_into(buffer, at, self.convert(value))

    def convert(self, x):
        return round(x * SECOND) if self.kind == TIME else x if self.kind == REAL else int(x)

    def unpack(self, buffer, base):
        at = base + self.offset
        if self.kind == TEXT:
            raw = bytes(buffer[at:at + self.max + 1])
            return raw[:raw.find(b"\0")].decode("utf-8", "replace")
        if not self.many:
            value, = self.one.unpack_from(buffer, at)
            return seconds(value) if self.kind == TIME else value
        count = self.count
        if self.counter is not None:
            count, = struct.unpack_from("<H" if self.wide else "<B", buffer, base + self.counter)
        if self.kind == REAL and numpy:
            return numpy.frombuffer(buffer, "<f8", count, at).copy()
        if self.letter == "B":
            return bytes(buffer[at:at + count])
        values = struct.unpack_from("<%d%s" % (count, self.letter), buffer, at)
        return [seconds(x) for x in values] if self.kind == TIME else list(values)


class Message:
    """The layout of a struct."""

    def __init__(self, row):
        self.size = row.size
        self.fields = {field.name: field for field in (Field(row.fields[i]) for i in range(row.nfields))}

    def pack(self, buffer, base, values):
        for name, value in values.items():
            field = self.fields[name]
            if field.is_real:
                field.one.pack_into(buffer, base + field.offset, value)
            else:
                field.pack(buffer, base, value)

    def unpack(self, buffer, base=0):
        return {name: field.unpack(buffer, base) for name, field in self.fields.items()}


def named(name):
    return Message(quick.robo_message_named(name.encode()).contents)


class Operation:
    """A query, a command or a notice."""

    def __init__(self, row):
        self.name, self.op, self.doc, self.retained = row.name.decode(), row.op, row.doc.decode(), row.retained
        self.request, self.reply = Message(row.request.contents), Message(row.reply.contents)


def operations(rows):
    found, i = {}, 0
    while rows[i].name:
        operation = Operation(rows[i])
        found[operation.name] = operation
        i += 1
    return found


def words(rows):
    """{ number: (name, doc) }"""
    found, i = {}, 0
    while rows[i].name:
        found[rows[i].number] = rows[i].name.decode(), rows[i].doc.decode()
        i += 1
    return found


QUERIES = operations(quick.robo_queries())
COMMANDS = operations(quick.robo_commands())
NOTICES = operations(quick.robo_notices())
BY_OP = {row.op: row for rows in (QUERIES, COMMANDS, NOTICES) for row in rows.values()}
SIGNALS = {number: name.upper() for number, (name, _) in words(quick.robo_signal_words()).items()}
REASONS = words(quick.robo_reason_words())
MOVES = {number: name for number, (name, _) in words(quick.robo_moves_words()).items()}
STATE = named("robo_state")
for _row in COMMANDS.values():
    _kind = quick.robo_command_kind_of(_row.op).contents
    _row.moves, _row.servo, _row.goal, _row.lasting = MOVES[_kind.moves], _kind.servo, _kind.goal, _kind.lasting

BODY = 16  # of a struct robo_cmd: where the union of its bodies is
COMMAND_SIZE = BODY + (max(max(row.request.size for row in COMMANDS.values()), 8) + 7) // 8 * 8
