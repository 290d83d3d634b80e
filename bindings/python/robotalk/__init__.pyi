# Made by spec/gen.lua from spec/; do not edit.
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
    def __await__(self) -> Iterator[Result]: ...
def connect(what: str, *, role: Literal['watch', 'drive', 'operate'] = ..., token: str | None = ..., token_file: str | None = ..., timeout: float = ..., reconnect: bool = ..., deadman: float | None = ..., expiry: float | Literal[False] | None = ..., name: str | None = ..., apart: bool = ..., world: str | None = ..., physics: bool = ...) -> Robot:
    """A robot at robotalk://host[:port][/robot], robotalk+tls://… or unix:PATH[#robot]; or a simulated one by the name of a bundled robot or
    its descriptor's file: a server of this program's own has it, which ends with the program, and with its last connection.
    world, physics: of that robot, as of robotalk repl. The others as in Lua: docs/lua.md, robotalk.ConnectOptions."""
def now() -> float:
    """Seconds of the world's clock."""
def model(what: str | Robot | Body) -> Model:
    """Kinematics of a robot, which need not exist.
    what: the name of a bundled robot, a descriptor's file, an address, a robot or its description"""
def scripts(where: str | Robot) -> Scripts:
    """The scripts that run in a server.
    where: its address, or one of its robots"""
def policy(robot: Robot, fn: Callable[[Any], Any], *, rate: float = ..., every: int = ..., age: float = ..., joints: Sequence[str] | None = ..., observe: Sequence[str] = ..., on_hold: Callable[[str], Any] | None = ...) -> Policy:
    """As in Lua, docs/policy.md. fn(observation), on a thread of its own, returns the chunk, an array or a list of rows; or None or a text, which
    ends the run. observation: time, state, position, and by their names the pictures and readings of observe."""

class Session:
    """A session with a robot in one command mode. Commands return their Result; in a mode that does not wait, a ticket."""
    mode: str  # its name
    blocking: bool  # whether commands wait for their answer
    must: Session  # the same methods; they raise Refused for signals other than SUCCESS and MODIFIED
    name: str
    body: Body
    def frames(self, times: Sequence[float], **parts: Array) -> None:
        """Frames from arrays: for each of the times a row of each part, set-points of all dofs of a joint, or of the base its velocity x, y, theta."""
    def __enter__(self) -> Self: ...
    def go_to(self, goal: Mapping[str, float] | Sequence[Mapping[str, float]] | None = ..., *, x: float = ..., y: float = ..., theta: float = ..., speed: float = ..., acceleration: float = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Drives or walks to a place on the floor of the world; holds the base until it is there. RoboTalk III.A.
        goal: x, y in m (one of them may be missing: 0), theta in rad (as it arrives by default), start; speed, acceleration: the greatest, m/s and m/s2, and turning by the same shares; 0: the body's own. Or a list of such places, where the robot stands at each; speed and acceleration next to the list apply to places without their own; not for begin, nor for sessions that do not wait"""
    def set_speed(self, values: Mapping[str, float] | None = ..., *, x: float = ..., y: float = ..., theta: float = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Velocity of the base in its own frame, until changed.
        speed: x, y in m/s, theta in rad/s, start"""
    def home(self, values: Mapping[str, float] | None = ..., *, speed: float = ..., acceleration: float = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Every joint to its rest position.
        options: start; speed, acceleration: the greatest of each dof"""
    def step(self, values: Mapping[str, float] | None = ..., *, leg: int = ..., x: float = ..., y: float = ..., theta: float = ..., speed: float = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """One step of one leg.
        fields: leg, x, y in m, theta in rad, start; speed: the greatest of the foot over the floor, m/s"""
    def set_joint(self, part: str, values: float | Vector | Mapping[Any, float] | None = ..., *, speed: float = ..., acceleration: float = ..., velocity: float | Vector | Mapping[Any, float] = ..., start: float | None = ..., timeout: float | None = ..., **dofs: float) -> Result:
        """Set-points of dofs of a joint.
        joint: its name
        values: rad or m by name or number (from 0) of the dof, or a list of all; for a joint of one dof also a plain number; speed, acceleration: the greatest on the way; velocity = { DOF = rad/s or m/s }: velocity of a set-point from the command's begin until the next one; start"""
    def set_joint_speed(self, part: str, values: float | Vector | Mapping[Any, float] | None = ..., *, start: float | None = ..., timeout: float | None = ..., **dofs: float) -> Result:
        """Speeds of dofs of a joint, until changed.
        joint: its name
        values: rad/s or m/s by dof, as of set_joint; start"""
    def set_joint_force(self, part: str, values: float | Vector | Mapping[Any, float] | None = ..., *, start: float | None = ..., timeout: float | None = ..., **dofs: float) -> Result:
        """Forces or torques of dofs of a joint, until changed.
        joint: its name
        values: N or N*m by dof, as of set_joint; start"""
    def set_frame(self, part: str, values: Mapping[str, Any] | None = ..., *, position: Vector = ..., attitude: Vector | Literal[False] = ..., straight: bool = ..., speed: float = ..., acceleration: float = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Moves a control frame to a pose in the root link's frame, on a straight line. A goal out of reach
        is replaced by the nearest pose: MODIFIED, with the remaining distance in the result's off.
        frame: its name
        pose: position { x, y, z } in m, attitude { roll, pitch, yaw } in rad (by default unchanged, if six dofs or more move it; false: any), start; straight = true: it ends on its line rather than leave it; speed, acceleration: the greatest on the line, m/s and m/s2"""
    def set_frame_speed(self, part: str, values: Mapping[str, Any] | None = ..., *, linear: Vector = ..., angular: Vector = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Velocity of a control frame along the root link's axes, until changed.
        frame: its name
        twist: linear m/s, angular rad/s: { x, y, z }, 0 by default; start"""
    def set_frame_force(self, part: str, values: Mapping[str, Any] | None = ..., *, force: Vector = ..., torque: Vector = ..., start: float | None = ..., timeout: float | None = ...) -> Result:
        """Force and torque at a control frame along the root link's axes, until changed.
        frame: its name
        wrench: force N, torque N*m: { x, y, z }, 0 by default; start"""
    def stop(self, what: str | Mapping[str, bool] | None = ..., *, own: bool = ..., start: float | None = ..., timeout: float | None = ..., **parts: bool) -> Result:
        """Stops all motions of all clients; or the joints, control frames and base that are named.
        what: a name, or { NAME = true, start = s }; base = true: the base; own = true: only the motions of this session, and its queued or held commands"""
    def move(self, parts: Mapping[str, Any] | None = ..., *, start: float | None = ..., timeout: float | None = ..., **more: Any) -> Result:
        """Moves the base, joints and control frames together. It begins as a whole or not at all, except for parts that
        the body lacks, and has one result. Contradictory parts raise: two that move the same dof (for example a hand and a
        joint of its arm, or the base and a dof of the root), or a dof and the one that it mimics.
        parts: as in frame; start"""
    def frame(self, t: float, parts: Mapping[str, Any] | None = ..., **more: Any) -> None:
        """A frame: parts as of move that begin together, as one command. A goal with a speed or an acceleration becomes its own command,
        except set-points with a speed. Frames are sent together when the task waits.
        t: seconds on the sequence's own time line
        parts: base = { speed = {…} | go_to = {…} | stop = true }, JOINT = set-point or { DOF = set-point, speed, velocity = { DOF = … }, force = { DOF = … } }: a velocity without a set-point is a speed, until changed; CONTROL FRAME = { position, attitude, straight }, { linear, angular } or { force, torque }. A name that a joint and a control frame share means the control frame with position, attitude, linear, angular or torque, otherwise the joint"""
    def flush(self) -> None:
        """Sends the frames gathered so far."""
    def finish(self, timeout: float | None = ...) -> Report:
        """Marks the end of the sequence and waits until all frames were played.
        timeout: seconds for the whole; after ETIMEOUT the caller may wait again"""
    def result(self, ticket: int | Motion, timeout: float | None = ...) -> Result:
        """The result of a ticket; waits for it.
        ticket: of a command
        timeout: seconds"""
    def begin(self, op: str, *args: Any, **fields: Any) -> Motion:
        """Gives a command and does not wait for its end, also in direct mode. A lasting command (such as set_speed) is done
        as soon as it takes effect; stop ends its motion.
        op: go_to, set_joint …
        ...: arguments of that command"""
    def cancel(self, ticket: int | Motion | None = ...) -> int:
        """Cancels a command, which brakes if it is in progress; or all commands that have not begun.
        ticket: one; all by default"""
    def override(self, share: float) -> None:
        """Sets the speed override: all motions run at this share of their speeds; 0 holds them on their paths. Sequences slow down with it.
        NA: the robot is on another server and cannot be slowed down; it stops, and accepts no motions before override(1).
        share: 0, or 0.001 to 1"""
    def state(self, *, forces: bool = ..., frames: bool = ..., goals: bool = ...) -> State:
        """The robot's state now.
        options: true: includes these"""
    def sense(self, what: str | Sequence[str] | Mapping[str, str]) -> Reading:
        """The newest reading of a sensor; of all sensors of a kind, or of a list of names, as one. docs/sensors.md describes its fields.
        what: the name of a sensor, otherwise of a kind (sonar); or several names; or a kind, even if a sensor has the same name"""
    def watch(self, what: str | Sequence[str] | Mapping[str, str], fn: Callable[[Reading], Any] | None = ..., *, rate: float | None = ...) -> Watch[Reading]:
        """Calls fn with each new reading, in its own task. Of several that arrived meanwhile it receives the newest.
        options: rate, readings a second at most (the sensor's rate); all = true: every reading of every sensor,
        as long as the server keeps them; a reading's dropped is the number lost before it.
        what: as of sense
        fn: without it the watch's :next() returns them"""
    def camera(self, name: str | None = ...) -> Camera:
        """A camera of the robot.
        name: the first by default"""
    def status(self) -> dict[str, Any]:
        """The session's queues and counters of its commands."""
    def broadcast(self, period: float, fn: Callable[[State], Any] | None = ..., *, forces: bool = ..., frames: bool = ..., goals: bool = ...) -> Watch[State]:
        """Calls fn with the state every period, until the handle's :cancel(). After a lost link it goes on with the next one.
        period: seconds, 0.001 to 3600
        options: as of state"""
    def holders(self) -> list[dict[str, Any]]:
        """The clients that hold leases. A lease lasts while its client drives, and 5 s more.
        The notice leases reports that leases of other clients have changed, except when they expire. For a robot at rctp://
        the client that drives it there."""
    def take(self, what: str | Mapping[str, bool] | None = ..., *, force: bool = ..., timeout: float | None = ..., **parts: bool) -> None:
        """Takes the leases of the base, joints or control frames, named as in stop, or of all. Free leases are taken at once.
        Otherwise the holder is asked, and gives or refuses; silence for the lease time, 5 s, counts as consent. Motions there are
        stopped first. After a refusal further requests are refused for as long, ELEASE. A take that ends without an answer is
        withdrawn. A robot at rctp:// is also taken there, where no holder can be asked: ELEASE while another client has it; with
        a timeout take waits for it.
        what: a name, or { base = true, head = true }; all axes by default
        options: force: without asking, where the server allows this to the role operate; timeout: s to wait"""
    def release(self, what: str | Mapping[str, bool] | None = ..., **parts: bool) -> None:
        """Gives leases back before they expire. Motions there are stopped first, waiting commands are INTERRUPTED, and other
        clients may drive as soon as the parts stand still.
        what: a name, or { base = true, head = true }; all axes by default"""
    def on_asked(self, fn: Callable[[dict[str, Any]], bool | None]) -> None:
        """Calls fn, as a task, when another client asks for leases that this one has. fn returns true to give them, false to refuse;
        after nil they are given when the lease time is over."""
    def stopped(self) -> dict[str, Any] | None:
        """The client that stopped this one, while the latch holds. A stop of everything by another client latches every client that has
        moved the robot. Until resume, motion commands are INTERRUPTED, stopped; `by` in their result names the client that stopped."""
    def on_stopped(self, fn: Callable[[dict[str, Any]], Any]) -> None:
        """Calls fn, as a task, when a stop by another client has latched this one."""
    def resume(self, *, all: bool = ..., client: int | None = ...) -> None:
        """Goes on after a stop by another client. A stop that was not yet reported to the program, by a result, stopped() or on_stopped,
        stays: ESTOPPED, which reports it. ENONE: no stop holds this client, or with all, any client. The client that has stopped others
        resumes them by all = true. An interrupted sequence does not go on: it needs a new session.
        options: all: all latched clients; client: this one; both are for the client that stopped, and for the role operate"""
    def latches(self) -> list[dict[str, Any]]:
        """The clients that are latched by a stop."""
    def panic(self) -> None:
        """Stops the robot at once, empties all its queues, and latches it in panic. Does not wait."""
    def reset(self) -> None:
        """Ends a panic and waits until it has ended, also on another server whose robot this one represents. Commands from before the
        panic never run."""
    def close(self) -> None:
        """Ends the session: its queued commands are dropped, its motions are stopped. Pending calls return their answers, or nil, message, ECLOSED."""

class Robot(Session):
    """A connection to a robot, and a session in direct mode."""
    model: Model  # its kinematics
    aio: Any
    def __enter__(self) -> Self: ...
    def session(self, mode: str = ..., *, delay: float | None = ..., duration: float | None = ..., deadman: float | None = ..., gap: float | None = ..., expiry: float | Literal[False] = ..., errors: bool = ..., newest: bool = ..., spacing: float | None = ..., at: float | None = ..., probe: float = ..., timeout: float = ..., **extra: Any) -> Session:
        """A session in another mode."""
    def reload(self, what: str | None = ...) -> dict[str, int]:
        """Replaces the description of the robot, for all its clients; sessions and queues stay. An invalid one is rejected, and the
        old one stays. A robot on another server keeps its drivers, joint by joint; the connection needs the role operate.
        what: name or file; for a robot by its name or file that by default
        Returns kept and dropped: queued commands whose names are still there, or not."""
    def log(self, *words: Any) -> None:
        """Writes a line to the log, with the robot's name.
        ...: the text, as for print"""
    def describe(self) -> Body:
        """The description of the robot."""
    def bus(self) -> dict[str, Any]:
        """Messages and remaining error of the robot's bus (paper 004)."""
    def clock(self) -> dict[str, float]:
        """The estimate of the server's clock and of the link."""
    def on_notice(self, fn: Callable[[str, Any, str | None], Any]) -> None:
        """Calls fn, as a task, for each notice of the server: panicked and reset (with the name of the client that did it, if one did), deadman, stopped, paused, resumed, override, leases, asked, answered, lost,
        held, settled, changed, latched (the number of the stop; 0: it is over), fallen (1: it lies; 0: it is upright again), blocked (1: something keeps the base from moving as commanded, and its name; 0: nothing does), shutdown, removed; and fault, with its text: for a command that cannot be read, or a mode that has failed."""
    def close(self) -> None:
        """Ends the connection and its sessions, as close of a session does."""

class Model:
    """Kinematics. A posture is a list with one number for each dof. Poses are relative to the root link, or to the start of a root that dofs move."""
    def fk(self, q: Vector, frame: str | None = ...) -> Any:
        """Pose of a control frame; without a name the poses of all links, [1] is link 0.
        q: posture
        frame: name or number"""
    def jacobian(self, q: Vector, frame: str) -> Array:
        """Geometric Jacobian of a control frame: six rows, linear x, y, z and angular x, y, z, of one number for each dof.
        q: posture
        frame: name or number"""
    def ik(self, frame: str, q: Vector | None = ..., *, position: Vector, attitude: Vector | None = ..., position_tolerance: float = ..., rotation_tolerance: float = ..., rotation_weight: float = ..., iterations: int = ..., attempts: int = ..., seed: int = ...) -> Array:
        """A posture that brings a control frame to a pose, within the limits; Error, ENONE, when none was found.
        frame: its name
        q: start of the search; home by default
        attitude: without it only the position counts
        position_tolerance, rotation_tolerance: m, rad (1e-6); rotation_weight: m/rad (0.3)"""
    def index(self, joint: str, dof: str | int | None = ...) -> int:
        """The index of a dof in a posture.
        joint: its name
        dof: its name, or its number in the joint, from 0; the first by default"""
    def home(self) -> Array:
        """The home posture."""

class Scripts:
    """The scripts of a server: what rt.scripts returns. All but list needs the role operate."""
    def list(self) -> list[dict[str, Any]]:
        """All of them."""
    def start(self, name: str) -> None:
        """Starts a script that is not running."""
    def stop(self, name: str) -> None:
        """Ends a script: its connections are closed, its motions are stopped, and it is not started again."""
    def reload(self, name: str) -> None:
        """Replaces a script by the present contents of its file. The new one is loaded first; when that fails, the old one goes on."""

class Policy:
    """A function from the newest observation to a chunk of actions, of rt.policy: docs/policy.md."""
    counts: dict[str, Any] | None  # of the newest run: calls of the function; chunks and frames that were sent; dropped: actions whose instants were over; late: chunks that were over; holds: how often the robot rested between two chunks; stale: observations that were too old
    def run(self, seconds: float | None = ...) -> str:
        """Runs it from where the robot is, until it ends or is stopped; then the robot brakes. An error of the function ends it, too.
        A later run begins from where the robot is then, also after a stop, unless a latch holds (resume).
        seconds: at most; without a limit by default"""
    def stop(self, why: str = ...) -> None:
        """Ends the run, from another task. The robot brakes at once, also while the function waits.
        why: for run to return (stopped)"""

class Camera:
    """A camera of a robot."""
    name: str  # 
    width: int  # pixels of its pictures; 0: unknown
    height: int  # pixels; 0: unknown
    rate: float  # pictures a second; 0: unknown
    fov: float  # horizontal field of view, rad; 0: unknown
    def frame(self, *, newer: Picture | None = ..., timeout: float = ..., width: int = ..., height: int = ..., format: Literal['jpeg', 'rgb', 'gray'] = ..., quality: int = ..., window: int = ...) -> Picture:
        """The newest picture. It may be old when the camera delivers no newer one: see age.
        options: width, height: most pixels, the picture is scaled down by a whole number; format: jpeg, rgb, gray; quality of JPEG (80); newer: wait for a picture newer than this one; timeout: s (5); window: bytes that may be in flight (65536)"""
    def watch(self, fn: Callable[[Picture], Any] | None = ..., *, rate: float | None = ..., width: int = ..., height: int = ..., format: Literal['jpeg', 'rgb', 'gray'] = ..., quality: int = ..., window: int = ...) -> Watch[Picture]:
        """Calls fn with each new picture, in its own task. Of several that arrived meanwhile it receives the newest.
        options: rate: pictures a second at most (the camera's rate); the others as of frame
        fn: without it the watch's :next() returns them"""

class Picture:
    """A picture from a camera or from robotalk.picture: docs/cameras.md."""
    camera: str  # the camera that took it; or the file
    number: int  # its number at the camera, from 1; 0: not from a camera
    time: float  # when it was taken: seconds of robotalk.now()
    age: float  # s from then to when this was returned
    width: int  # pixels
    height: int  # pixels
    format: str  # jpeg, rgb or gray
    bytes: str  # a JPEG file; or pixels, 3 bytes or 1 each, row by row from the top
    array: Any
    def pixels(self, format: Literal['rgb', 'gray'] | None = ...) -> bytes:
        """Its pixels, row by row from the top.
        format: rgb or gray; for pixels their own format by default"""
    def save(self, path: str) -> None:
        """Writes the picture to a file: a JPEG as it is, pixels as PPM or PGM, and any picture as PNG if the name ends with .png.
        path: with the extension of the format, or without one: .jpg or .jpeg, .ppm, .pgm; or .png"""

class Watch(Generic[T]):
    """A subscription to readings of sensors or to pictures of a camera."""
    def __iter__(self) -> Iterator[T]: ...
    def __next__(self) -> T: ...
    def __enter__(self) -> Self: ...
    def next(self, timeout: float | None = ...) -> T:
        """Waits for a reading, or a picture, that was not returned yet.
        timeout: s"""
    def cancel(self) -> None:
        """Ends the subscription."""

class Result:
    """The result of a command. Times in seconds of robotalk.now()."""
    id: int  # its ticket
    op: str  # the command, for example set_joint
    signal: str  # SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR or PANIC
    reason: str  # the reason
    why: str | None  # the reason as text
    scheduled: float | None  # when it should have begun; nil: at once, or unknown
    executed: float | None  # when it began; nil: never
    lateness: float | None  # executed - scheduled
    finished: float  # when the robot gave this result
    off: dict[str, Any] | None  # set_frame, when MODIFIED by a limit, a load or a contact: distance of the frame from the requested pose, m and rad
    parts: list[dict[str, Any]] | None  # of a frame: the parts that did not end in SUCCESS: { part, dof, signal, reason }; nil when all ended as the whole
    left_out: list[str] | None  # of a frame: the names of parts that the body lacks
    clipped: list[str] | None  # the names of parts that were clipped to limits: base, joints, control frames
    superseded: bool | None  # MODIFIED because a later command took over its axes
    obstacle: str | None  # base blocked: the thing or the robot that is in the way
    holder: str | None  # BUSY because another client holds the lease: its name and number
    uncertainty: float  # uncertainty of these instants in s, because the robot has another clock
    by: str | None
    def __bool__(self) -> bool: ...

class State:
    """A robot's state. SI units; x ahead, y left, z up."""
    time: float  # instant of the state: seconds of robotalk.now()
    x: float  # m
    y: float  # m
    z: float  # m
    theta: float  # heading in rad, counter-clockwise, not wrapped
    pose: Array  # x, y, z as a list
    attitude: Array  # roll, pitch, yaw in rad; yaw is theta
    velocity: Any  # x, y in m/s, theta in rad/s, as set_speed takes them
    twist: Array  # m/s along its own axes; turning is in spin
    spin: Array  # rad/s about its own axes
    joints: dict[str, Any]  # positions by joint and dof, rad or m
    position: Array  # of all dofs in the model's order, rad or m: a posture
    speed: Array  # of all dofs, rad/s or m/s
    forces: dict[str, Any] | None  # if requested: by joint and dof, N or N*m; a missing dof has no known force
    frames: dict[str, Any] | None  # if requested: poses by control frame, as in set_frame: position { x, y, z }, attitude { roll, pitch, yaw }
    goals: dict[str, Any] | None  # if requested: the position goal in force by joint and dof, rad or m; none after a speed, a force, a stop; where a bus orders messages, that of the newest
    override: float  # speed override: motions run at this share of their speeds
    battery: float  # charge, 0 to 1
    voltage: float  # V
    moving: bool  # whether a motion is in progress
    panic: bool  # whether the robot is in panic
    epoch: int  # number of panics so far

class Reading:
    """A reading of a sensor, SI. docs/sensors.md lists the values of each kind; a custom type has the values that the sensor names. An unknown value is missing, in lists false. For several sensors together: their readings as a list, false where there is none yet; time and age of the oldest; and, of one kind, ranges, switches or positions of all."""
    name: str | None  # of the sensor
    type: str | None  # its kind
    number: int | None  # its number at the sensor, from 1
    time: float  # instant of the reading: seconds of robotalk.now()
    age: float  # s from then to when this was returned
    unit: str | None  # of a custom type, if the sensor has one
    range: float | None  # m: the nearest of ranges
    ranges: Array | None  # m: each beam, or each sensor
    pressed: bool | None  # whether one of the switches is
    switches: Array | None  # each
    position: Any | None  # in the world, m; of an encoder its first dof's
    positions: Array | None  # of dofs, rad or m
    attitude: Array | None  # in the world, rad
    acceleration: Array | None  # m/s2, with gravity
    spin: Array | None  # rad/s
    force: Array | None  # N
    torque: Array | None  # N*m
    heading: float | None  # rad
    x: float | None  # m
    y: float | None  # m
    theta: float | None  # rad
    charge: float | None  # 0 to 1
    voltage: float | None  # V
    current: float | None  # A
    temperature: float | None  # K
    state: str | None  # of a gripper: open, closed, moving, error, stopped
    opening: float | None  # 0 closed to 1 open
    width: float | None  # m
    outer: bool | None  # its outer beam is broken
    inner: bool | None  # its inner beam is broken
    holding: bool | None  # it holds something
    broken: bool | None  # whether one of the beams is
    beams: Array | None  # each
    def __getitem__(self, index: int) -> Reading: ...
    def __len__(self) -> int: ...

class Report:
    """The result of a sequence. Has a readable tostring. When a session is finished several times, signals, reasons, left_out, clipped and concerned cover the time since the previous report; the other counts cover the whole session."""
    frames: int  # frames of the sequence
    played: int  # commands sent for them
    signals: dict[str, Any]  # commands that ended with each signal
    reasons: dict[str, Any]  # by signal: number of commands for each reason
    left_out: dict[str, Any]  # frames by the name of a part that the body lacks
    clipped: dict[str, Any]  # frames by the name of a part that was clipped to limits
    concerned: list[dict[str, Any]]  # frames that were neither done nor superseded: { t, op, signal, reason, why, clipped, beyond, left_out, off }
    delay: float  # s by which the first frame began later than its time
    needed: float  # least delay that would have sufficed, s
    worst: float  # greatest lateness of a command, s
    underruns: int  # frames that arrived too late
    refused: int  # commands that never began
    paused: int  # number of times that the robot braked and waited for frames
    added: float  # delay added by all pauses, s
    pauses: list[dict[str, Any]]  # { at, t, added (s), path (m), turn (rad), dof }: how far the robot moved on after the missing frame was due
