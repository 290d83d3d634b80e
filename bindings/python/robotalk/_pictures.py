"""Cameras and their pictures."""
import ctypes
from ctypes import byref

from . import _library
from ._client import now
from ._errors import Error, Timeout, failure, lacking
from ._library import SECOND, error_of, lib
from ._messages import numpy
from ._watch import Watch

FORMATS = {"jpeg": 1, "rgb": 2, "gray": 3}
NAMES = {number: name for name, number in FORMATS.items()}
BOUNDS = {"quality": (1, 100, 80), "width": (1, 65535, 0), "height": (1, 65535, 0), "window": (16384, 1 << 24, 1 << 20)}


class Picture:
    """A picture: number, time, age, width, height, format, and bytes; `array` has its pixels."""

    def __init__(self, camera, picture, data):
        self.camera, self.number, self.time = camera, picture.number, picture.time / SECOND
        self.age = max(0.0, now() - self.time)
        self.width, self.height, self.format, self._data = picture.width, picture.height, NAMES[picture.format], data

    @property
    def bytes(self):
        """A JPEG file; or pixels, 3 bytes or 1 each, row by row from the top."""
        return bytes(self._data)

    def pixels(self, format=None):
        """Its pixels as bytes, rgb or gray."""
        return bytes(self._pixels(format))

    def _pixels(self, format=None):
        format = format or ("rgb" if self.format == "jpeg" else self.format)
        if format not in ("rgb", "gray"):
            raise ValueError("pixels: format: want rgb or gray, got %s" % format)
        if self.format == format:
            return self._data
        if self.format != "jpeg":
            raise ValueError("pixels: the picture has %s pixels: ask the camera for format=%r" % (self.format, format))
        out = bytearray(self.width * self.height * (3 if format == "rgb" else 1))
        status = lib.robo_jpeg_decode(self.bytes, len(self._data), FORMATS[format], (ctypes.c_char * len(out)).from_buffer(out), len(out))
        if status < 0:
            raise error_of(status)
        return out

    @property
    def array(self):
        """Its pixels as a numpy array of height × width (× 3) bytes; for pixels without a copy."""
        if numpy is None:
            raise ImportError("the array of a picture needs numpy; pixels() does not")
        pixels = numpy.frombuffer(self._pixels(), "u1")
        return pixels.reshape((self.height, self.width, 3) if len(pixels) != self.width * self.height else (self.height, self.width))

    def save(self, path):
        """Writes the JPEG, or pixels as PPM or PGM."""
        with open(path, "wb") as file:
            if self.format != "jpeg":
                file.write(b"%s\n%d %d\n255\n" % (b"P6" if self.format == "rgb" else b"P5", self.width, self.height))
            file.write(self._data)

    def __repr__(self):
        return "<robotalk.Picture: %s %d, %d x %d, %s>" % (self.camera, self.number, self.width, self.height, self.format)


class Camera:
    """A camera of a robot."""

    def __init__(self, session, record):
        self._session, self.name, self.width, self.height = session, record.name, record.width, record.height
        self.rate, self.fov = record.rate, record.fov

    def _fields(self, body, options, caller):
        record, fields = body.cameras.get(self.name), {"period": 0, "after": 0}
        if record is None:
            raise lacking(body.name, "camera", self.name, body.cameras)
        for name in options:
            if name not in BOUNDS and name != "format":
                raise TypeError("%s has no option '%s'; it has %s" % (caller, name, ", ".join(["format", *BOUNDS])))
        format = options.get("format") or "jpeg"
        if format not in FORMATS:
            raise ValueError("%s: format: want jpeg, rgb or gray, got %s" % (caller, format))
        for name, (least, most, default) in BOUNDS.items():
            value = options.get(name)
            if value is not None and not (isinstance(value, int) and least <= value <= most):
                raise ValueError("%s: %s: want a whole number from %d to %d, got %s" % (caller, name, least, most, value))
            fields[name] = default if value is None else value
        return {**fields, "camera": record.number, "format": FORMATS[format]}

    def _take(self, id):
        """The picture that has come, or None."""
        picture, room = _library.Picture(), self._room
        while True:
            data = bytearray(room)
            picture.bytes = ctypes.addressof(ctypes.c_char.from_buffer(data)) if room else 0
            try:
                there = self._session._client.call(lib.robo_take_picture, id, byref(picture), room)
                break
            except Error as error:
                if error.code in ("ENONE", "EDEVICE"):
                    raise failure("NA", "camera %s of robot %s gives no picture" % (self.name, self._session._body.name)) from None
                if error.code != "EFULL":
                    raise
            room = picture.size
        if not there:
            return None
        self._room = room
        del data[picture.size:]
        return Picture(self.name, picture, data)

    _room = 1 << 16

    def frame(self, *, newer=None, timeout=5, **options):
        """The newest picture; with newer, a picture, one that is newer than that."""
        session, client = self._session, self._session._client
        fields = self._fields(session.body, options, "frame")
        fields["after"] = newer.number if newer else 0
        _, id = client.request(session._number, "picture", fields)
        try:
            client.await_(id, timeout, "picture by " + self.name)
        except Timeout:
            client.request(session._number, "broadcast_cancel", {"broadcast": id})
            raise
        return self._take(id)

    def watch(self, fn=None, *, rate=None, **options):
        """An iterator over new pictures, rate a second at most."""
        if rate is not None and not 1 / 3600 <= rate <= 1000:
            raise ValueError("watch: rate: want times a second, at most 1000, got %s" % rate)

        def fields(body):
            return {**self._fields(body, options, "watch"), "period": 1 / rate if rate else 0.001}

        def take(id, row):
            picture = self._take(id)
            return (picture.number, lambda: picture) if picture else (None, None)
        return Watch(self._session, "view", fields, take, fn)


def camera(self, name=None):
    cameras = self.body.cameras
    record = next(iter(cameras.values()), None) if name is None else cameras.get(name)
    if record is None:
        raise lacking(self._body.name, "camera", name, cameras)
    return Camera(self, record)
