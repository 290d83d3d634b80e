"""robotalk for Python: robots by name, file or address. docs/python.md.

    import robotalk as rt
    with rt.connect("pioneer2") as robot:
        print(robot.go_to(x=0.5))
"""
import ast

from ._body import Body
from ._client import now
from ._errors import Error, LinkError, Refused, Timeout
from ._model import Model, model
from ._policy import Policy, policy
from ._pictures import Camera, Picture
from ._readings import Reading
from ._result import Result
from ._robot import Robot, Scripts, connect, scripts
from ._session import Motion, Session
from ._state import State
from ._tape import Report
from ._watch import Watch

__all__ = ["connect", "now", "policy", "Body", "Camera", "Error", "LinkError", "Model", "Motion", "Picture", "Policy", "Reading", "Refused", "Report", "Result",
           "Robot", "Scripts", "Session", "State", "Timeout", "Watch", "model", "scripts"]

with open(__file__ + "i", encoding="utf-8") as _stub:  # has the texts of functions and classes
    for _top in [top for top in ast.parse(_stub.read()).body if hasattr(top, "name")]:
        _there = globals()[_top.name]
        for _row in [row for row in (_top, *_top.body) if hasattr(row, "name") and ast.get_docstring(row)]:
            (_there if _row is _top else vars(_there)[_row.name]).__doc__ = ast.get_docstring(_row)
del _stub, _top, _there, _row
