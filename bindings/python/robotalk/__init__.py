"""robotalk for Python: robots by name, file or address. docs/python.md.

    import robotalk as rt
    with rt.connect("pioneer2") as robot:
        print(robot.go_to(x=0.5))
"""
from ._body import Body
from ._client import now
from ._errors import Error, LinkError, Refused, Timeout
from ._made import DOCS
from ._pictures import Camera, Picture
from ._readings import Reading
from ._result import Result
from ._robot import Robot, connect
from ._session import Motion, Session
from ._state import State
from ._tape import Report
from ._watch import Watch

__all__ = ["connect", "now", "Body", "Camera", "Error", "LinkError", "Motion", "Picture", "Reading", "Refused", "Report", "Result",
           "Robot", "Session", "State", "Timeout", "Watch"]

for _name, _text in DOCS.items():
    _class, _, _function = _name.rpartition(".")
    _owner = globals()[_class or _function] if not _class else vars(globals()[_class])[_function]
    _owner.__doc__ = _text
del _name, _text, _class, _function, _owner
