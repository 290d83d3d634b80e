"""Makes a wheel of the package, for pip: nothing is compiled, and nothing is required."""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))


def version():
    with open(os.path.join(TREE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(robotalk VERSION ([\d.]+)", file.read())[1]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "robotalk-" + version()
    info = name + ".dist-info/"
    files = {info + "METADATA": "Metadata-Version: 2.1\nName: robotalk\nVersion: %s\nRequires-Python: >=3.11\n" % version(),
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: robotalk\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
             "robotalk/_tree.py": "TREE = %r  # whose build has the library and the program\n" % TREE}
    for file in sorted(os.listdir(os.path.join(HERE, "robotalk"))):
        if file.endswith((".py", ".pyi", ".typed")):
            with open(os.path.join(HERE, "robotalk", file), encoding="utf-8") as text:
                files["robotalk/" + file] = text.read()
    rows = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name + "-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append("%s,sha256=%s,%d\n" % (path, digest, len(text.encode())))
            wheel.writestr(path, text)
        wheel.writestr(info + "RECORD", "".join(rows) + info + "RECORD,,\n")
    return name + "-py3-none-any.whl"
