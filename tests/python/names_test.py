"""What spec/api.lua has, Python has, too, or a table says why not."""
import ast
import os
import subprocess
import unittest

import robotalk as rt

DUMP = """for _, class in ipairs(dofile "spec/api.lua".classes) do
  for _, rows in ipairs { class.fields or {}, class.functions or {} } do
    for _, row in ipairs(rows) do print(class.name:match "^robotalk%.?([%w.]*)", row[1]) end
  end
end"""
# Options of Lua are parameters of Python: of these functions.
OPTIONS = {"ConnectOptions": "connect", "SessionOptions": "Robot.session", "PolicyOptions": "policy"}
SERVER = "of a process with robots, drivers and worlds: the program's, which rt.connect starts for a robot by its name"
VERB = "a verb of the program"
TASKS = "Python has threads and asyncio"
# By class, or by name: why Python has it not.
WITHOUT = {
    **dict.fromkeys(("add_robot", "serve", "record", "add_mode", "add_script", "look", "world", "thing", "View", "LookOptions", "ServeOptions",
                     "RecordOptions", "Recorder", "Vehicle", "ScriptOptions", "Robot.record"), SERVER),
    **dict.fromkeys(("drive", "watch", "Robot.play", "PlayOptions"), VERB),
    **dict.fromkeys(("sleep", "spawn", "tasks", "any", "all", "current", "wait", "wake", "run", "Task", "Motion.detach"), TASKS),
    **dict.fromkeys(("images", "images.DialOptions", "images.SendOptions", "images.ServeOptions", "images.Picture", "images.Folder",
                     "images.Server", "images.Sender", "images.Sending"), "an image server of the program's, `robotalk images`"),
    **dict.fromkeys(("dataset", "dataset.Options", "dataset.Set", "dataset.Reader"), "of `robotalk record --episodes` and of LeRobot"),
    **dict.fromkeys(("mcap", "mcap.Writer", "mcap.ChannelOptions", "mcap.Recording"), "Python has packages for MCAP"),
    **dict.fromkeys(("golog", "golog.Domain", "golog.Plan", "tree", "tree.Node", "Aibo", "Field"), "a library for behaviours, in Lua"),
    **dict.fromkeys(("wire", "ordering", "ordering.Schedule"), "of the library itself, ctypes reaches it"),
    **dict.fromkeys(("translator", "Translator", "TranslatorFile", "Format", "Device", "Object", "Pairs", "Link", "bridge", "Bridge", "Behaviour",
                     "BridgeMessage"), "of files that servers load, in Lua"),
    **dict.fromkeys(("picture", "Picture.pixel", "Picture.blob", "Picture.jpeg", "Blob"), "numpy and Pillow do that, with picture.array and bytes"),
    **dict.fromkeys(("fleet", "Fleet", "FleetRobot", "FleetSelection", "unison", "Unison", "UnisonOptions"),
                    "of DDS's domains, in Lua; connect takes the address of a robot there"),
    "Channel": "a simulated network, of simulated time", "ConnectOptions.channel": "as Channel", "Picture.card": "for tests of cameras",
    "version": "importlib.metadata has it", "try_connect": "connect raises, and except catches", "ok": "bool(result)",
    "Session.send": "commands in the form of the specification; rows of frames go by frames()", "Robot.refresh": "robot.body is always the newest",
    "Motion.retarget": "begin again: the newer command supersedes it",
    "Result.beyond": "clipped names the parts", "Reading.dropped": "of watch with all = true", "Scripts.latches": "robot.latches() has them",
    "Scripts.resume": "robot.resume(client=…)", "Holder": "robot.holders() has dicts of these", "Script": "scripts.list() has dicts of these",
    "Observation": "a SimpleNamespace of these",
}


class Names(unittest.TestCase):
    def test_each_name_of_the_specification_is_there_or_has_a_reason(self):
        rows = [line.split("\t") for line in subprocess.run(["lua5.4", "-e", DUMP], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
        with open(os.path.dirname(rt.__file__) + "/__init__.pyi", encoding="utf-8") as file:
            tree = ast.parse(file.read())
        there, unused = set(rt.__all__), dict(WITHOUT)
        for node in tree.body:
            functions = [(node.name + ".", fn) for fn in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
            for owner, fn in functions:
                if isinstance(fn, ast.AnnAssign):
                    there.add(owner + fn.target.id)
                if isinstance(fn, ast.FunctionDef):
                    there.add(owner + fn.name)
                    there |= {owner + fn.name + "." + a.arg for a in fn.args.args + fn.args.kwonlyargs}
        self.assertGreater(len(rows), 400)
        for name, field in rows:
            # of the module itself the class has no name
            full = OPTIONS.get(name, name) + "." + field if name else field
            kind = name if name in WITHOUT else (name + "." if name else "") + field
            with self.subTest(kind):
                unused.pop(kind, None)
                self.assertTrue((full in there or full.replace("Robot.", "Session.", 1) in there) != (kind in WITHOUT),
                                "neither in Python, nor in the table" if kind not in WITHOUT else "both in Python and in the table")
        self.assertEqual(unused, {})


if __name__ == "__main__":
    unittest.main()
