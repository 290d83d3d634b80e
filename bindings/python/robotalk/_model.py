"""Kinematics of a robot, which need not exist: postures are numbers of all dofs, poses relative to the root link."""
import ctypes
import os
import subprocess
import tempfile
from ctypes import byref, c_double

from . import _library
from ._body import Body, number, place, three
from ._errors import failure, refuse, said
from ._library import IkOptions, IkReport, Pose, error_of, lib
from ._messages import array


def read(what):
    """The body of a robot by its name, its descriptor's file or its address, as `robotalk convert` reads it."""
    with tempfile.TemporaryDirectory(prefix="robotalk-") as folder:
        done = subprocess.run([_library.program(), "convert", what, folder + "/x.block"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode or not os.path.exists(folder + "/x.block"):
            raise failure("EBODY", said(done.stdout) or "no description of %s" % what)
        with open(folder + "/x.block", "rb") as file:
            return Body(file.read(), 0)


class Model:
    def __init__(self, body):
        self._body, self._model = body, lib.robo_body_model(body.pointer)
        if not self._model:
            raise failure("EBODY", "the description of %s has no geometry" % body.name)

    def _posture(self, q):
        q = [number(x, "q[%d]", i) for i, x in enumerate(q)]
        if len(q) != self._body.dofs:
            raise ValueError("q: want %d numbers, got %d" % (self._body.dofs, len(q)))
        return (c_double * len(q))(*q)

    def _frame(self, frame):
        return self._body.find("frames", "control frame", frame).number

    def home(self):
        return array([dof.home for dof in self._body.dof])

    def index(self, joint, dof=None):
        joint = self._body.find("joints", "joint", joint)
        k = 0 if dof is None else place(joint, dof)
        if k is None:
            refuse(joint.name, "dof", dof, joint.names)
        return joint.first + k

    def fk(self, q, frame=None):
        poses, q = (Pose * (len(self._body.links) if frame is None else 1))(), self._posture(q)
        if frame is None:
            lib.robo_fk(self._model, q, poses)
        else:
            lib.robo_frame_pose(self._model, q, self._frame(frame), poses)
        found = [told(pose) for pose in poses]
        return found if frame is None else found[0]

    def jacobian(self, q, frame):
        q = self._posture(q)
        rows = ((c_double * len(q)) * 6)()
        lib.robo_jacobian(self._model, q, self._frame(frame), None, rows)
        return array([list(row) for row in rows])

    def ik(self, frame, q=None, *, position, attitude=None, position_tolerance=0, rotation_tolerance=0, rotation_weight=0, iterations=0,
           attempts=0, seed=0):
        goal, q = Pose(position=tuple(three(position, "ik.position"))), self._posture(self.home() if q is None else q)
        lib.robo_attitude_to_rotation((c_double * 3)(*three((0, 0, 0) if attitude is None else attitude, "ik.attitude")), goal.rotation)
        options, report = IkOptions(ctypes.sizeof(IkOptions), position_tolerance, rotation_tolerance, rotation_weight if attitude is not None
                                    else -1, iterations, attempts, seed), IkReport()
        found = lib.robo_ik(self._model, self._frame(frame), byref(goal), byref(options), q, byref(report))
        if found < 0:
            raise error_of(found)
        if not found:
            raise failure("ENONE", "no posture found: %.3g m and %.3g rad are left" % (report.position_error, report.rotation_error))
        return array(q)


def told(pose):
    attitude = (c_double * 3)()
    lib.robo_rotation_to_attitude(pose.rotation, attitude)
    return {"position": array(pose.position), "rotation": array(pose.rotation), "attitude": array(attitude)}


def model(what):
    return Model(what if isinstance(what, Body) else getattr(what, "body", None) or read(what))
