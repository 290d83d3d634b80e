-- What the Python package has of the specification, for gen.lua: bindings/python/robotalk/_made.py, the kinds of sensors, and
-- __init__.pyi, from which editors complete and the docstrings come. Names and texts are those of api.lua; what is Python's own stands here.

-- Functions by their classes in api.lua: their parameters in Python, and what they return. true: those of a command's row.
local COMMAND <const> = true
local CLASSES <const> = {
  { "robotalk", "", {
    { "connect", "what: str, *, role: Literal['watch', 'drive', 'operate'] = ..., token: str | None = ..., token_file: str | None = ..., "
      .. "timeout: float = ..., reconnect: bool = ..., deadman: float | None = ..., expiry: float | Literal[False] | None = ..., "
      .. "name: str | None = ..., apart: bool = ..., world: str | None = ..., physics: bool = ...", "Robot" },
    { "now", "", "float" }, { "model", "what: str | Robot | Body", "Model" }, { "scripts", "where: str | Robot", "Scripts" },
    { "policy", "robot: Robot, fn: Callable[[Any], Any], *, rate: float = ..., every: int = ..., age: float = ..., "
      .. "joints: Sequence[str] | None = ..., observe: Sequence[str] = ..., on_hold: Callable[[str], Any] | None = ...", "Policy" },
  } },
  { "robotalk.Session", "Session", {
    { "go_to", "goal: Mapping[str, float] | Sequence[Mapping[str, float]] | None = ..., *, x: float = ..., y: float = ..., theta: float = ..., "
      .. "speed: float = ..., acceleration: float = ..., start: float | None = ..., timeout: float | None = ...", "Result" },
    { "set_speed", COMMAND }, { "home", COMMAND }, { "step", COMMAND },
    { "set_joint", COMMAND }, { "set_joint_speed", COMMAND }, { "set_joint_force", COMMAND },
    { "set_frame", "part: str, values: Mapping[str, Any] | None = ..., *, position: Vector = ..., attitude: Vector | Literal[False] = ..., "
      .. "straight: bool = ..., speed: float = ..., acceleration: float = ..., start: float | None = ..., timeout: float | None = ...", "Result" },
    { "set_frame_speed", COMMAND }, { "set_frame_force", COMMAND },
    { "stop", "what: str | Mapping[str, bool] | None = ..., *, own: bool = ..., start: float | None = ..., timeout: float | None = ..., "
      .. "**parts: bool", "Result" },
    { "move", "parts: Mapping[str, Any] | None = ..., *, start: float | None = ..., timeout: float | None = ..., **more: Any", "Result" },
    { "frame", "t: float, parts: Mapping[str, Any] | None = ..., **more: Any", "None" },
    { "flush", "", "None" }, { "finish", "timeout: float | None = ...", "Report" },
    { "result", "ticket: int | Motion, timeout: float | None = ...", "Result" },
    { "begin", "op: str, *args: Any, **fields: Any", "Motion" }, { "cancel", "ticket: int | Motion | None = ...", "int" },
    { "override", "share: float", "None" }, { "state", "*, forces: bool = ..., frames: bool = ..., goals: bool = ...", "State" },
    { "sense", "what: str | Sequence[str] | Mapping[str, str]", "Reading" },
    { "watch", "what: str | Sequence[str] | Mapping[str, str], fn: Callable[[Reading], Any] | None = ..., *, rate: float | None = ...",
      "Watch[Reading]" },
    { "camera", "name: str | None = ...", "Camera" }, { "status", "", "dict[str, Any]" },
    { "broadcast", "period: float, fn: Callable[[State], Any] | None = ..., *, forces: bool = ..., frames: bool = ..., goals: bool = ...", "Watch[State]" },
    { "holders", "", "list[dict[str, Any]]" },
    { "take", "what: str | Mapping[str, bool] | None = ..., *, force: bool = ..., timeout: float | None = ..., **parts: bool", "None" },
    { "release", "what: str | Mapping[str, bool] | None = ..., **parts: bool", "None" },
    { "on_asked", "fn: Callable[[dict[str, Any]], bool | None]", "None" }, { "stopped", "", "dict[str, Any] | None" },
    { "on_stopped", "fn: Callable[[dict[str, Any]], Any]", "None" },
    { "resume", "*, all: bool = ..., client: int | None = ...", "None" }, { "latches", "", "list[dict[str, Any]]" },
    { "panic", "", "None" }, { "reset", "", "None" }, { "close", "", "None" },
  } },
  { "robotalk.Robot", "Robot", {
    { "session", "mode: str = ..., *, delay: float | None = ..., duration: float | None = ..., deadman: float | None = ..., "
      .. "gap: float | None = ..., expiry: float | Literal[False] = ..., errors: bool = ..., newest: bool = ..., spacing: float | None = ..., "
      .. "at: float | None = ..., probe: float = ..., timeout: float = ..., **extra: Any", "Session" },
    { "reload", "what: str | None = ...", "dict[str, int]" }, { "log", "*words: Any", "None" },
    { "describe", "", "Body" }, { "bus", "", "dict[str, Any]" }, { "clock", "", "dict[str, float]" },
    { "on_notice", "fn: Callable[[str, Any, str | None], Any]", "None" },
    { "close", "", "None" },
  } },
  { "robotalk.Model", "Model", {
    { "fk", "q: Vector, frame: str | None = ...", "Any" }, { "jacobian", "q: Vector, frame: str", "Array" },
    { "ik", "frame: str, q: Vector | None = ..., *, position: Vector, attitude: Vector | None = ..., position_tolerance: float = ..., "
      .. "rotation_tolerance: float = ..., rotation_weight: float = ..., iterations: int = ..., attempts: int = ..., seed: int = ...", "Array" },
    { "index", "joint: str, dof: str | int | None = ...", "int" }, { "home", "", "Array" },
  } },
  { "robotalk.Scripts", "Scripts", { { "list", "", "list[dict[str, Any]]" }, { "start", "name: str", "None" }, { "stop", "name: str", "None" },
    { "reload", "name: str", "None" } } },
  { "robotalk.Policy", "Policy", { { "run", "seconds: float | None = ...", "str" }, { "stop", "why: str = ...", "None" } } },
  { "robotalk.Camera", "Camera", {
    { "frame", "*, newer: Picture | None = ..., timeout: float = ..., width: int = ..., height: int = ..., "
      .. "format: Literal['jpeg', 'rgb', 'gray'] = ..., quality: int = ..., window: int = ...", "Picture" },
    { "watch", "fn: Callable[[Picture], Any] | None = ..., *, rate: float | None = ..., width: int = ..., height: int = ..., "
      .. "format: Literal['jpeg', 'rgb', 'gray'] = ..., quality: int = ..., window: int = ...", "Watch[Picture]" },
  } },
  { "robotalk.Picture", "Picture", {
    { "pixels", "format: Literal['rgb', 'gray'] | None = ...", "bytes" }, { "save", "path: str", "None" },
  } },
  { "robotalk.Watch", "Watch", { { "next", "timeout: float | None = ...", "T" }, { "cancel", "", "None" } } },
  { "robotalk.Result", "Result", {} }, { "robotalk.State", "State", {} }, { "robotalk.Reading", "Reading", {} }, { "robotalk.Report", "Report", {} },
}
-- Base classes, what each class has beside its rows, and fields of api.lua that it lacks.
local BASES <const> = { Robot = "(Session)", Watch = "(Generic[T])" }
local MORE <const> = {
  Session = { "name: str", "body: Body", "def frames(self, times: Sequence[float], **parts: Array) -> None:", "def __enter__(self) -> Self: ..." },
  Robot = { "aio: Any", "def __enter__(self) -> Self: ..." },
  Picture = { "array: Any" }, Watch = { "def __iter__(self) -> Iterator[T]: ...", "def __next__(self) -> T: ...", "def __enter__(self) -> Self: ..." },
  Result = { "by: str | None", "def __bool__(self) -> bool: ..." },
  Reading = { "def __getitem__(self, index: int) -> Reading: ...", "def __len__(self) -> int: ..." },
}
local LACKS <const> = { Result = { beyond = true }, Session = { must = true }, Robot = { must = true }, Reading = { dropped = true } }
local OWN <const> = {
  connect = "A robot at robotalk://host[:port][/robot], robotalk+tls://… or unix:PATH[#robot]; or a simulated one by the name of a bundled robot or\n"
    .. "its descriptor's file: a server of this program's own has it, which ends with the program, and with its last connection.\n"
    .. "world, physics: of that robot, as of robotalk repl. The others as in Lua: docs/lua.md, robotalk.ConnectOptions.",
  policy = "As in Lua, docs/policy.md. fn(observation), on a thread of its own, returns the chunk, an array or a list of rows; or None or a text, which\n"
    .. "ends the run. observation: time, state, position, and by their names the pictures and readings of observe.",
  model = "Kinematics of a robot, which need not exist.\n"
    .. "what: the name of a bundled robot, a descriptor's file, an address, a robot or its description",
  scripts = "The scripts that run in a server.\nwhere: its address, or one of its robots",
  Session = "A session with a robot in one command mode. Commands return their Result; in a mode that does not wait, a ticket.",
  ["Model.ik"] = "A posture that brings a control frame to a pose, within the limits; Error, ENONE, when none was found.\n"
    .. "frame: its name\nq: start of the search; home by default\nattitude: without it only the position counts\n"
    .. "position_tolerance, rotation_tolerance: m, rad (1e-6); rotation_weight: m/rad (0.3)",
  ["Robot.reload"] = "Replaces the description of the robot, for all its clients; sessions and queues stay. An invalid one is rejected, and the\n"
    .. "old one stays. A robot on another server keeps its drivers, joint by joint; the connection needs the role operate.\n"
    .. "what: name or file; for a robot by its name or file that by default\nReturns kept and dropped: queued commands whose names are still there, or not.",
  frames = "Frames from arrays: for each of the times a row of each part, set-points of all dofs of a joint, or of the base its velocity x, y, theta.",
}

local HEAD <const> = [[
from typing import Any, Callable, Generic, Iterator, Literal, Mapping, Sequence, TypeVar
from typing import Self  # type: ignore[attr-defined]

T = TypeVar("T")
Array = Any  # a numpy array, or a list without numpy
Vector = Sequence[float]

class Error(Exception):
    code: str
class LinkError(Error, ConnectionError): ...
class Timeout(Error, TimeoutError): ...
class Refused(Error):
    result: Result

class Body:
    name: str
    model: str
    revision: int
    dofs: int
    deadman: float
    joints: dict[str, Any]
    frames: dict[str, Any]
    sensors: dict[str, Any]
    cameras: dict[str, Any]

class Motion:
    ticket: int
    op: str
    name: str | None
    def wait(self, timeout: float | None = ...) -> Result: ...
    def done(self) -> bool: ...
    def cancel(self) -> int: ...
    def __await__(self) -> Iterator[Result]: ...]]

local TYPES <const> = { string = "str", number = "float", integer = "int", boolean = "bool", ["number[]"] = "Array", ["string[]"] = "list[str]",
  ["boolean[]"] = "Array", ["table[]"] = "list[dict[str, Any]]", ["true"] = "bool", ["robotalk.Reason"] = "str", ["robotalk.Session"] = "Session",
  ["robotalk.Model"] = "Model" }

-- A type of the Lua annotations in Python.
local function type_of(lua)
  local plain, optional = lua:match "^(.-)(%??)$"
  return (TYPES[plain] or (plain:find "^table<string" or plain:find "^{") and "dict[str, Any]" or "Any") .. (optional == "?" and " | None" or "")
end

-- The parameters of a command, of its row in messages.lua.
local function of_command(row)
  local words, numbers = {}, { joint = "part: str, values: float | Vector | Mapping[Any, float] | None = ..., *",
    frame = "part: str, values: Mapping[str, Any] | None = ..., *" }
  words[1] = numbers[row.moves] or "values: Mapping[str, float] | None = ..., *"
  for _, field in ipairs(row.body) do
    local part = numbers[row.moves] and field[1] == row.moves or field[1] == "mask" or field[1] == "velocities" or field[1] == "value"
    if not part then
      words[#words + 1] = ("%s: %s = ..."):format(field[1], field[1] == "velocity" and "float | Vector | Mapping[Any, float]"
        or field.count and "Vector" or field.unit and "float" or "int")
    end
  end
  words[#words + 1] = "start: float | None = ..., timeout: float | None = ..."
  if row.moves == "joint" then words[#words + 1] = "**dofs: float" end
  return table.concat(words, ", ")
end

return function(the)
  local api, commands, classes = the.api, {}, {}
  for _, row in ipairs(the.spec.commands) do commands[row[1]] = row end
  for _, class in ipairs(api.classes) do
    local own = { doc = class.doc, fields = class.fields, functions = {} }
    for _, fn in ipairs(class.functions or {}) do own.functions[fn[1]] = fn end
    classes[class.name:match "^[%w.]+"] = own
  end

  -- The text of a function.
  local function text_of(fn, name)
    if OWN[name] then return OWN[name] end
    local lines = { fn.doc }
    for _, param in ipairs(fn.params or {}) do
      if param[3] ~= "" then lines[#lines + 1] = ("%s: %s"):format(param[1]:gsub("%?$", ""), param[3]) end
    end
    return table.concat(lines, "\n"):gsub("<close>", "with")
  end

  local made, m = the.printer()
  local stub, p = the.printer()
  m '"""Made by spec/gen.lua from spec/; do not edit. The kinds of sensors."""'
  m "SENSORS = {"
  for _, kind in ipairs(the.sensors.kinds) do
    local values = {}
    for i, value in ipairs(kind.values) do
      local words = {}
      for k, word in ipairs(value.words or {}) do words[k] = ("%q"):format(word) end
      values[i] = ('{"name": "%s"%s%s%s}'):format(value[1], value.count and (', "count": %d'):format(value.count) or "",
        value.flag and ', "flag": True' or "", #words > 0 and (', "words": [%s]'):format(table.concat(words, ", ")) or "")
    end
    m('    "%s": {"rate": %d,%s "values": [%s]},', kind[1], kind.rate,
      kind.many and (' "many": "%s", "of": "%s",'):format(kind.many, kind.of) or "", table.concat(values, ", "))
  end
  m "}\nOWN_RATE = "; made[#made] = made[#made] .. the.sensors.own.rate
  p "# Made by spec/gen.lua from spec/; do not edit."
  p(HEAD)
  for _, class in ipairs(CLASSES) do
    local from, name, rows = classes[class[1]], class[2], class[3]
    local indent, self, lacks = name == "" and "" or "    ", name == "" and "" or "self", LACKS[name] or {}
    local function document(text, at) p('%s"""%s"""', at, (text:gsub("\\", "\\\\"):gsub("\n", "\n" .. at))) end
    if name ~= "" then
      p("\nclass %s%s:", name, BASES[name] or "")
      document(OWN[name] or from.doc, "    ")
    end
    for _, field in ipairs(name ~= "" and from.fields or {}) do
      if not lacks[field[1]] and not field[1]:find "[^%w_]" then p("    %s: %s  # %s", field[1], type_of(field[2]), field[3]) end
    end
    if name == "Session" then p "    must: Session  # the same methods; they raise Refused for signals other than SUCCESS and MODIFIED" end
    for _, line in ipairs(MORE[name] or {}) do
      p("    %s", line)
      local own = line:match "^def ([%l_]+).*:$"
      if own and OWN[own] then document(OWN[own], "        ") end
    end
    for _, row in ipairs(rows) do
      local fn, params, result = row[1], row[2], row[3]
      if params == COMMAND then params, result = of_command(commands[fn]), "Result" end
      params = self .. (self ~= "" and params ~= "" and ", " or "") .. params
      p("%sdef %s(%s) -> %s:", indent, fn, params, result)
      document(text_of(from.functions[fn], (name ~= "" and name .. "." or "") .. fn), indent .. "    ")
    end
  end
  return made, stub
end
