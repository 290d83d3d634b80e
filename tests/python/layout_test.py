"""The structs of the package are those of the headers: a C compiler says where their members are."""
import ctypes
import os
import subprocess
import tempfile
import unittest

import robotalk._library as library
from robotalk import _client, _messages, _session

MADE = os.environ.get("ROBOTALK_MADE")
HEADERS = "robotalk.h robotalk/session.h robotalk/link.h robotalk/picture.h robotalk/messages.h robotalk/words.h robotalk/kinematics.h".split()
STRUCTS = [value for value in [*vars(library).values(), _session.News] if isinstance(value, type) and issubclass(value, ctypes.Structure)
           and value is not ctypes.Structure]


@unittest.skipUnless(MADE, "ROBOTALK_MADE names the folder of the generated headers")
class Layout(unittest.TestCase):
    def test_members_are_where_the_compiler_has_them(self):
        lines, here = [], []
        for struct in STRUCTS:
            name = struct.__name__
            lines.append('printf("%s %%zu\\n", sizeof(struct %s));' % (name, name))
            here.append("%s %d" % (name, ctypes.sizeof(struct)))
            for member, _ in struct._fields_:
                lines.append('printf("%s.%s %%zu\\n", offsetof(struct %s, %s));' % (name, member, name, member))
                here.append("%s.%s %d" % (name, member, getattr(struct, member).offset))
        lines.append('printf("%zu %zu\\n", sizeof(struct robo_cmd), sizeof(struct robo_result));')
        here.append("%d %d" % (_messages.COMMAND_SIZE, _client.RESULT_STRUCT.size))
        lines.append('printf("%zu\\n", offsetof(struct robo_cmd, body));')
        here.append(str(_messages.BODY))
        text = "#include <stdio.h>\n#include <stddef.h>\n%s\nint main(void)\n{\n%s\n}\n" % (
            "\n".join('#include "%s"' % header for header in HEADERS), "\n".join(lines))
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/layout.c", "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run(["cc", "-Icore", "-I" + MADE + "/core", "-o", folder + "/layout", folder + "/layout.c"], check=True)
            said = subprocess.run([folder + "/layout"], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertEqual(here, said.splitlines())
        self.assertGreater(len(STRUCTS), 15)


if __name__ == "__main__":
    unittest.main()
