"""The package as pip installs it, its stubs, and its docstrings."""
import ast
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import robotalk as rt

HERE = os.path.dirname(rt.__file__)


class Package(unittest.TestCase):
    def test_pip_installs_it_from_the_tree_without_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            venv, env = folder + "/v", {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "ROBOTALK_LIBRARY", "ROBOTALK")}
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
            done = subprocess.run([venv + "/bin/pip", "install", "-q", "--no-index", "--disable-pip-version-check", "./bindings/python"],
                                  env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            said = subprocess.run([venv + "/bin/python", "-c", "import robotalk; print(robotalk.__file__, robotalk._library.path)"], env=env,
                                  cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            self.assertTrue(said[0].startswith(venv), said)
            self.assertTrue(os.path.exists(said[1]), said)
            done = subprocess.run([venv + "/bin/pip", "uninstall", "-q", "-y", "robotalk"], check=True, env=env)
            self.assertFalse(os.path.exists(said[0]))

    def test_stubs_are_of_what_there_is(self):
        with open(HERE + "/__init__.pyi", encoding="utf-8") as file:
            tree = ast.parse(file.read())
        functions = 0
        for node in tree.body:
            for fn in node.body if isinstance(node, ast.ClassDef) else [node] if isinstance(node, ast.FunctionDef) else []:
                if not isinstance(fn, ast.FunctionDef) or fn.name.startswith("__"):
                    continue
                owner = getattr(rt, node.name) if isinstance(node, ast.ClassDef) else rt
                with self.subTest("%s.%s" % (node.name, fn.name)):
                    there = inspect.signature(getattr(owner, fn.name))
                    names = [a.arg for a in fn.args.posonlyargs + fn.args.args + fn.args.kwonlyargs]
                    wild = any(p.kind == p.VAR_KEYWORD for p in there.parameters.values())
                    for name in names:
                        self.assertTrue(name in there.parameters or wild, name)
                    for name, parameter in there.parameters.items():
                        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                            self.assertIn(name, names)
                    functions += 1
        self.assertGreater(functions, 50)

    def test_all_that_is_public_has_a_stub_and_a_text(self):
        with open(HERE + "/__init__.pyi", encoding="utf-8") as file:
            tree = ast.parse(file.read())
        stubs = {node.name: {n.name for n in node.body if isinstance(n, ast.FunctionDef)} |
                 {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)} if isinstance(node, ast.ClassDef) else set()
                 for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(set(rt.__all__) - set(stubs), set())
        for name in ("Session", "Robot", "Camera", "Picture", "Watch", "Motion"):
            for key, value in vars(getattr(rt, name)).items():
                if not key.startswith("_"):
                    self.assertIn(key, stubs[name], name)
                    self.assertTrue(not callable(value) or value.__doc__, "%s.%s" % (name, key))


if __name__ == "__main__":
    unittest.main()
