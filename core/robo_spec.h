/* Made by spec/gen.lua from spec/; do not edit. Enums, names and message structs. */
#ifndef ROBO_SPEC_H
#define ROBO_SPEC_H
#include <stdint.h>
/* cdef { */
typedef int64_t robo_time; /* nanoseconds */
enum { ROBO_VERSION = 2, ROBO_MAGIC = 21076, ROBO_MAX_PAYLOAD = 65536, ROBO_PORT = 7600 };
enum robo_signal {
    ROBO_PANIC = 1, /* the robot is in panic, or the command was swept away by one */
    ROBO_ERROR = 2, /* the command was refused or failed; the reason says why */
    ROBO_INTERRUPTED = 3, /* the motion had begun, or was queued, and was halted before its end */
    ROBO_BUSY = 4, /* an earlier motion holds the axis and may not be interrupted */
    ROBO_SUCCESS = 5, /* done as asked */
    ROBO_MODIFIED = 6, /* done as far as this body can; the reason says what was changed */
    ROBO_NA = 7, /* this robot does not support this command */
};
enum robo_reason {
    ROBO_WHY_NONE = 0, /*  */
    ROBO_WHY_PANIC = 1, /* the robot is in panic until someone resets it */
    ROBO_WHY_STALE = 2, /* the command was sent before the last panic and is never run after it */
    ROBO_WHY_EXPIRED = 3, /* the command arrived later than its expiry allows */
    ROBO_WHY_FULL = 4, /* the queue is full; what was queued before is kept */
    ROBO_WHY_RANGE = 5, /* a value is not finite or outside the range of its field */
    ROBO_WHY_JOINT = 6, /* the robot has no such joint or dof */
    ROBO_WHY_FRAME = 7, /* the robot has no such control frame */
    ROBO_WHY_UNSUPPORTED = 8, /* this body has no actuator for this command */
    ROBO_WHY_SERVO = 9, /* the joint does not take this type of servo command */
    ROBO_WHY_HOLONOMIC = 10, /* the base cannot move sideways; the sideways part was left out */
    ROBO_WHY_LIMIT = 11, /* a value was clipped to the limit of the body */
    ROBO_WHY_AXIS = 12, /* another motion holds the axis */
    ROBO_WHY_SUPERSEDED = 13, /* a later command has taken over what it moved */
    ROBO_WHY_STOPPED = 14, /* a stop ended the motion */
    ROBO_WHY_CANCELLED = 15, /* the client took the command back */
    ROBO_WHY_DEADMAN = 16, /* nothing heard from the client for the deadman time; the robot was stopped */
    ROBO_WHY_LINK = 17, /* the link to the client or to the device was lost, or no answer came */
    ROBO_WHY_DEVICE = 18, /* the device reported a fault */
    ROBO_WHY_CLOSED = 19, /* the session, the robot or the server was closed */
    ROBO_WHY_SESSION = 20, /* no such session */
    ROBO_WHY_CHANGED = 21, /* the robot was described anew: motions were stopped, commands for what is gone are dropped */
    ROBO_WHY_MALFORMED = 22, /* the command or its answer could not be read */
    ROBO_WHY_ROLE = 24, /* the role of the client's connection does not allow the command */
    ROBO_WHY_LEASE = 25, /* another client holds the lease of what the command moves */
    ROBO_WHY_BLOCKED = 26, /* something is in the way */
    ROBO_WHY_BRAKING = 27, /* what another client has moved there still brakes */
    ROBO_WHY_BOUNDS = 28, /* what moves it takes no greatest speed or acceleration */
    ROBO_WHY_OVERRIDE = 29, /* what moves it cannot be slowed down: it moves while the override is 1 */
    ROBO_WHY_FALLEN = 30, /* the body has fallen over: it has to get up first */
    ROBO_WHY_MODE = 23, /* the script of the session's command mode has failed; a fault tells how */
};
enum robo_error {
    ROBO_EINVAL = -1, /* wrong argument */
    ROBO_ENOMEM = -2, /* out of memory */
    ROBO_EFULL = -3, /* queue or buffer full */
    ROBO_ENONE = -4, /* nothing of that name or number */
    ROBO_ERANGE = -5, /* a value is outside the range of its field */
    ROBO_EVERSION = -6, /* unknown protocol version */
    ROBO_EMAGIC = -7, /* not a RoboTalk package */
    ROBO_ETYPE = -8, /* unknown payload type */
    ROBO_ESIZE = -9, /* wrong payload size */
    ROBO_EOP = -10, /* unknown query or command */
    ROBO_EBODY = -11, /* malformed body */
    ROBO_EMIXED = -12, /* a package is all queries or all commands */
    ROBO_EMODE = -13, /* no such command mode, or it refused its options or failed */
    ROBO_ELINK = -14, /* the link is lost */
    ROBO_ETIMEOUT = -15, /* no answer in time */
    ROBO_EURL = -16, /* malformed address */
    ROBO_EADDRESS = -17, /* the address cannot be reached or listened on */
    ROBO_EEXISTS = -18, /* the name is taken */
    ROBO_EDEVICE = -19, /* the device cannot be opened */
    ROBO_ELIMIT = -20, /* more than the server allows */
    ROBO_ESYSTEM = -21, /* the operating system refused */
    ROBO_EPANIC = -22, /* the robot is in panic */
    ROBO_ECLOSED = -23, /* the session or the connection was closed */
    ROBO_EROLE = -24, /* the role of this connection does not allow that */
    ROBO_ETOKEN = -25, /* the server does not let this client in */
    ROBO_ELEASE = -26, /* another client drives the robot */
    ROBO_ESTOPPED = -27, /* another client has stopped the robot since, or it waits for `resume` */
};
enum robo_flag {
    ROBO_FLAG_PANIC = 1, /*  */
    ROBO_FLAG_RESET = 2, /*  */
};
enum robo_role {
    ROBO_ROLE_WATCH = 1, /* queries, sessions, stops and panics */
    ROBO_ROLE_DRIVE = 2, /* also commands */
    ROBO_ROLE_OPERATE = 3, /* also resets panics, reloads descriptions, starts and stops scripts of the server, reloads its access lists */
};
enum robo_type {
    ROBO_TYPE_NONE = 0, /* no payload: a panic, a reset, a heartbeat */
    ROBO_TYPE_QUERY = 1, /* client to server: questions and housekeeping, priority 0 */
    ROBO_TYPE_COMMAND = 2, /* client to server: motion commands */
    ROBO_TYPE_REPLY = 3, /* server to client: answers to queries, same op and id */
    ROBO_TYPE_SIGNAL = 4, /* server to client: results of commands */
    ROBO_TYPE_NOTICE = 5, /* server to client: unsolicited events */
};
enum robo_query {
    ROBO_Q_HELLO = 1, /* first query on a connection: versions, identity and requested role of the client */
    ROBO_Q_ROBOT = 2, /* the name of one robot, for listing them */
    ROBO_Q_OPEN = 3, /* opens a session with one robot in one command mode */
    ROBO_Q_CLOSE = 4, /* ends the session: its queued commands are dropped, its motions are stopped */
    ROBO_Q_SYNC = 5, /* one exchange of clock readings */
    ROBO_Q_STATE = 6, /* the robot's kinodynamic state now */
    ROBO_Q_BROADCAST = 7, /* sends the state every period, until cancelled; the answers carry this query's id */
    ROBO_Q_BROADCAST_CANCEL = 8, /* ends a broadcast, a watch, a view, or a picture that has not arrived */
    ROBO_Q_CANCEL = 9, /* cancels a command, which brakes within its limits if it is in progress; or all of the session that have not begun */
    ROBO_Q_STATUS = 10, /* the session's queues and counters of its frames */
    ROBO_Q_FINISH = 11, /* marks the end of the sequence: a mode that holds packages decides now; a session that receives errors only gets `settled` when all is done */
    ROBO_Q_OVERRIDE = 20, /* the speed override: from now on all motions of the robot run at this share of their speeds; 0 holds them on their paths */
    ROBO_Q_PAUSES = 19, /* how often the session has paused because a frame was late, and how far its robot moved meanwhile */
    ROBO_Q_SENSE = 30, /* the newest readings of some sensors */
    ROBO_Q_WATCH = 31, /* sends readings of some sensors, whenever there are new ones, at most once a period, until broadcast_cancel; the answers carry this query's id */
    ROBO_Q_RECORD = 32, /* all readings of a sensor after a given one, the oldest first, as far as the server keeps them and they fit into one answer */
    ROBO_Q_PICTURE = 33, /* a picture of a camera, in pieces: the answers carry this query's id */
    ROBO_Q_VIEW = 34, /* sends pictures of a camera, whenever there is a newer one and the last one was sent, at most one a period, until broadcast_cancel */
    ROBO_Q_PIECES = 35, /* acknowledges received bytes of a picture, a view, a broadcast or a watch, so that more may follow */
    ROBO_Q_DESCRIBE = 12, /* the description of the robot in brief */
    ROBO_Q_JOINT = 13, /* one joint */
    ROBO_Q_DOF = 14, /* one dof */
    ROBO_Q_LINK = 15, /* one link */
    ROBO_Q_FRAME = 16, /* one control frame */
    ROBO_Q_CONFIGURATION = 17, /* the configuration block, or as much of it as fits into one answer */
    ROBO_Q_RELOAD = 21, /* replaces the description of the robot by a configuration block, which is sent in pieces, in their order; the last piece applies it */
    ROBO_Q_HOLDER = 22, /* one of the clients that hold leases of the session's robot, for listing them; ENONE: there are no more */
    ROBO_Q_TAKE = 23, /* asks for leases of the session's robot; repeated, it reports the state of the request */
    ROBO_Q_GIVE = 24, /* answers the notice `asked`; ENONE: that client asks for no lease that this one holds */
    ROBO_Q_RELEASE = 25, /* gives leases of the session's robot back; motions of the client there are stopped first, and commands waiting for them are interrupted */
    ROBO_Q_RESUME = 26, /* ends the latch set by another client's stop of everything; ESTOPPED: `stop` is not the number of that stop, or for scope 1 not the number of the newest stop */
    ROBO_Q_LATCH = 27, /* one of the clients that are latched by a stop, for listing them; ENONE: there are no more */
    ROBO_Q_LISTS = 40, /* the server reads the access lists of its addresses again; for the role operate */
    ROBO_Q_BUS = 18, /* messages and remaining error of the robot's bus (paper 004); ENONE: it has no bus */
    ROBO_Q_SCRIPT = 60, /* one of the scripts that run in the server, for listing them; ENONE: there is none of that index */
    ROBO_Q_SCRIPT_START = 61, /* starts a script of the server that is not running */
    ROBO_Q_SCRIPT_STOP = 62, /* ends a script: its connections are closed, and it is not started again */
    ROBO_Q_SCRIPT_RELOAD = 63, /* replaces a script by the present contents of its file: the new one is loaded, then the old one ended; if loading fails, the old one goes on */
};
enum robo_more {
    ROBO_MORE_FORCES = 1, /* the force or torque of each dof */
    ROBO_MORE_FRAMES = 2, /* the pose of each control frame */
};
enum robo_op {
    ROBO_STOP = 256, /* stops the base and every joint, or only the named ones, within their acceleration limits; motions in progress are interrupted */
    ROBO_GO_TO = 257, /* drives or walks the root link to a place on the floor; holds the base until it arrives */
    ROBO_SET_SPEED = 258, /* velocity of the root link in its own frame, until changed */
    ROBO_SET_JOINT = 259, /* moves dofs of a joint to set-points */
    ROBO_SET_JOINT_SPEED = 260, /* speeds of dofs of a joint, until changed */
    ROBO_SET_JOINT_FORCE = 261, /* forces or torques of dofs of a joint, until changed */
    ROBO_HOME = 262, /* every joint to its rest position */
    ROBO_STEP = 263, /* one step of one leg */
    ROBO_SET_FRAME = 264, /* moves a control frame to a pose in the root link's frame; if it is out of reach, to the nearest reachable one */
    ROBO_SET_FRAME_SPEED = 265, /* twist of a control frame in the root link's axes, until changed */
    ROBO_SET_FRAME_FORCE = 266, /* wrench at a control frame in the root link's axes, until changed */
    ROBO_MOVE = 267, /* a frame: moves the base, dofs and control frames together */
    ROBO_FIRST_OP = 256,
    ROBO_LAST_OP = 267,
};
enum robo_moves {
    ROBO_MOVES_ALL = 0, /* the base and every joint */
    ROBO_MOVES_ROOT = 1, /* the root link: by the base, or by the dofs between it and the world */
    ROBO_MOVES_LEG = 2, /* a leg, and the base with it */
    ROBO_MOVES_JOINT = 3, /* dofs of one joint */
    ROBO_MOVES_JOINTS = 4, /* every joint that accepts this type of servo command */
    ROBO_MOVES_FRAME = 5, /* a control frame: by the dofs between it and its root */
    ROBO_MOVES_PARTS = 6, /* the parts in its body: the base, dofs, control frames */
};
enum robo_move_part {
    ROBO_MOVE_PLACE = 1, /* the base goes to a place, as by go_to; not with speed */
    ROBO_MOVE_SPEED = 2, /* the base gets a speed, as by set_speed */
    ROBO_MOVE_SETPOINTS = 4, /* a group of dofs goes to set-points */
    ROBO_MOVE_VELOCITIES = 8, /* with a velocity for each set-point, as in set_joint; only with setpoints */
    ROBO_MOVE_LIMITS = 16, /* with a greatest speed on the way to each, 0: the joint's own; only with setpoints */
    ROBO_MOVE_SPEEDS = 32, /* a group of dofs gets speeds */
    ROBO_MOVE_FORCES = 64, /* a group of dofs gets forces */
    ROBO_MOVE_FRAMES = 128, /* control frames */
    ROBO_MOVE_WIDE = 256, /* values are i64; otherwise i32. All are wide if one exceeds 2,147 units */
};
enum robo_part_kind {
    ROBO_PART_BASE = 0, /* the base */
    ROBO_PART_DOF = 1, /* a dof */
    ROBO_PART_FRAME = 2, /* a control frame */
};
enum robo_notice {
    ROBO_N_FAULT = 512, /* a package or query was refused; the connection stays open unless the framing is lost */
    ROBO_N_PANICKED = 513, /* the robot of this session entered panic; its queues are empty */
    ROBO_N_RESET = 514, /* the panic of this session's robot was reset */
    ROBO_N_DEADMAN = 515, /* the robot was stopped because this session was silent */
    ROBO_N_SHUTDOWN = 516, /* the server is closing; robots are halted */
    ROBO_N_CHANGED = 518, /* the description of this session's robot was replaced: the client must fetch its configuration again */
    ROBO_N_STOPPED = 519, /* another session stopped the robot, and the running, queued and held commands of this one were interrupted; or, after `lost`, leases were lost */
    ROBO_N_PAUSED = 520, /* a frame is missing: the session holds again, and axes with a speed brake */
    ROBO_N_RESUMED = 521, /* the commands that the session holds are played again, later than before */
    ROBO_N_SETTLED = 522, /* after finish, for a session that receives errors only: each command so far has its result; those without a sent result are SUCCESS */
    ROBO_N_OVERRIDE = 523, /* the speed override of this session's robot has changed */
    ROBO_N_HELD = 524, /* before a result busy, lease, if the holder has changed since the last one: the client that holds the lease of the command's axes */
    ROBO_N_LEASES = 525, /* the leases of another client of this session's robot have changed; expiry alone is not reported */
    ROBO_N_ASKED = 526, /* another client asks for leases that this one has; the query `give` answers, and silence counts as consent */
    ROBO_N_LOST = 527, /* another client took leases that this one had: motions and waiting commands of these axes were interrupted; `stopped` follows, with the new count */
    ROBO_N_ANSWERED = 528, /* this client's request for leases is decided; `take` reports the state */
    ROBO_N_FALLEN = 529, /* the robot of this session has fallen over, or is upright again */
    ROBO_N_LATCHED = 530, /* a stop by another client has latched this session's client: motion commands are INTERRUPTED, stopped, until `resume`; or the latch has ended; or, before the result of the client's own stop, the number of that stop */
    ROBO_N_BLOCKED = 531, /* something keeps the base of this session's robot from moving as commanded, or nothing does any more; sent before a result blocked of the base */
    ROBO_N_REMOVED = 517, /* the robot of this session was removed; the session is closed */
};
enum { ROBO_BLOCK_MAGIC = 1381253954 };
enum { ROBO_WORLD = 65535 }; /* as the parent of a joint: its child is a root */
enum robo_dof_kind { /* kinds of dofs */
    ROBO_REVOLUTE = 0, /* it turns */
    ROBO_PRISMATIC = 1, /* it slides */
};
enum robo_floor_texture { /* the texture of a world's floor */
    ROBO_FLOOR_PLAIN = 0, /* one colour */
    ROBO_FLOOR_CHECKER = 1, /* squares of two colours */
    ROBO_FLOOR_STRIPES = 2, /* along y, of two colours */
};
enum robo_order { /* which joint gets the next message on a bus (paper 004) */
    ROBO_ORDER_NONE = 0, /* commands go straight to the drivers */
    ROBO_ORDER_SEQUENTIAL = 1, /* scheme A: speeds computed once for a round through all joints */
    ROBO_ORDER_UPDATED = 2, /* B: one joint after the other, computed again for each message */
    ROBO_ORDER_SYNCHRONISED = 3, /* C: as A, stored at the joints; a broadcast starts all of them */
    ROBO_ORDER_PREDICTIVE = 4, /* D: as C, with the speeds at the instant of the broadcast */
    ROBO_ORDER_GREATEST = 5, /* E, the paper's: the joint whose error counts most (equation 11) */
    ROBO_ORDER_OPTIMAL = 6, /* F: the joint that reduces the remaining error most */
    ROBO_ORDER_PLANNED = 7, /* O: the first joint of the order of all joints that leaves the least error; at most 10 dofs */
};
enum robo_halt { /* the effect of a halt on a body */
    ROBO_HOLD = 0, /* servos stay on */
    ROBO_BRAKE = 1, /* within the acceleration limits */
    ROBO_LIMP = 2, /* motors off */
    ROBO_RETREAT = 3, /* to a posture */
};
enum robo_roll { /* the way in which a shape of the root link rolls, for simulators with physics */
    ROBO_ROLL_NOT = 0, /* it does not */
    ROBO_ROLL_WHEEL = 1, /* driven, about its cylinder's axis */
    ROBO_ROLL_OMNI = 2, /* as a wheel, and it slips freely along that axis */
    ROBO_ROLL_CASTER = 3, /* freely, in all directions */
};
enum robo_servo { /* servo commands that a joint or a control frame accepts */
    ROBO_SERVO_SETPOINT = 1, /* set-points */
    ROBO_SERVO_SPEED = 2, /* speeds */
    ROBO_SERVO_FORCE = 4, /* forces, torques */
};
enum robo_shape_kind { /* kinds of shapes, and the meaning of their sizes */
    ROBO_SHAPE_BOX = 0, /* along x, y, z */
    ROBO_SHAPE_CYLINDER = 1, /* along z: radius, length */
    ROBO_SHAPE_SPHERE = 2, /* radius */
    ROBO_SHAPE_MESH = 3, /* scale along x, y, z */
};
enum robo_widget_kind { /* kinds of controls */
    ROBO_WIDGET_SLIDER = 0,
    ROBO_WIDGET_KNOB = 1,
    ROBO_WIDGET_NUMBER = 2,
    ROBO_WIDGET_BUTTON = 3,
    ROBO_WIDGET_PAD = 4,
    ROBO_WIDGET_LABEL = 5,
};
enum robo_sense {
    ROBO_SENSE_OWN = 0, /* a custom type */
    ROBO_SENSE_SONAR = 1, /* ranges by sound */
    ROBO_SENSE_INFRARED = 2, /* ranges by light, each of one spot */
    ROBO_SENSE_LASER = 3, /* a scan of ranges in its plane x, y, from right to left */
    ROBO_SENSE_BUMPER = 4, /* a part of the hull that feels touch */
    ROBO_SENSE_BUTTON = 5, /* a button that a hand presses */
    ROBO_SENSE_CONTACT = 6, /* a part that feels contact with the ground or a held object */
    ROBO_SENSE_ACCELEROMETER = 7, /* the acceleration at its position */
    ROBO_SENSE_GYROSCOPE = 8, /* its angular velocity */
    ROBO_SENSE_IMU = 9, /* an inertial measurement unit */
    ROBO_SENSE_COMPASS = 10, /* the heading of its x axis */
    ROBO_SENSE_FORCE = 11, /* force and torque between its link and the parent of that link */
    ROBO_SENSE_GPS = 12, /* its position, as a receiver measures it */
    ROBO_SENSE_POSE = 13, /* its true pose */
    ROBO_SENSE_ENCODER = 14, /* positions of the dofs of the joint that moves its link */
    ROBO_SENSE_ODOMETRY = 15, /* the estimated position of the base, from its wheels or legs */
    ROBO_SENSE_BATTERY = 16, /* the robot's battery */
    ROBO_SENSE_TEMPERATURE = 17, /* the temperature at its position */
    ROBO_SENSE_GRIPPER = 18, /* a gripper that the joint of its link opens; its range is the width, m */
    ROBO_SENSE_BEAM = 19, /* a light barrier across a gap, along its x axis; default: 0 to 0.2 m */
    ROBO_SENSE_TORQUE = 20, /* the torque or force of the joint that moves its link */
    ROBO_SENSE_UPRIGHT = 21, /* detects a fall */
};
/* rows of a table that is indexed by an enum: one more than the greatest of its numbers */
enum { ROBO_SIGNALS = 8 };
enum { ROBO_ROLES = 4 };
enum { ROBO_DOF_KINDS = 2 };
enum { ROBO_FLOOR_TEXTURES = 3 };
enum { ROBO_ORDERS = 8 };
enum { ROBO_HALTS = 4 };
enum { ROBO_ROLLS = 4 };
enum { ROBO_SERVOS = 5 };
enum { ROBO_SHAPE_KINDS = 4 };
enum { ROBO_WIDGET_KINDS = 6 };
enum { ROBO_SENSES = 22 };
enum { ROBO_MAX_READING = 2048 }; /* values of one sensor */
enum {
    ROBO_MAX_LINKS = 512, /* a rigid body */
    ROBO_MAX_JOINTS = 512, /* the connection of a link to its parent, with its dofs in the order in which they act */
    ROBO_MAX_DOFS = 512, /* a degree of freedom */
    ROBO_MAX_FRAMES = 256, /* a control frame, fixed to its link */
    ROBO_MAX_SHAPES = 1024, /* a shape of a link */
    ROBO_MAX_CAMERAS = 16, /* a camera; it points along the x axis of its frame */
    ROBO_MAX_SENSORS = 256, /* a sensor; it points along the x axis of its frame */
    ROBO_MAX_WIDGETS = 1024, /* a control on an operator's panel */
    ROBO_MAX_DEVICES = 8, /* a driver of joints or the base, and its options, which a new body copies */
};
/* the fixed-length header of a package */
struct robo_header {
    uint16_t magic; /* 0x5254, the letters RT */
    uint8_t version; /* 2 */
    uint8_t flags; /* bits: 1 panic, 2 reset; executed as soon as the header is received */
    uint8_t type; /* type of the payload */
    uint8_t revision; /* commands: revision of the description whose numbers of joints and control frames they use, the lowest 8 bits; otherwise 0 */
    uint16_t count; /* entries in the payload */
    uint32_t size; /* bytes of payload, at most 65536 */
    uint32_t id; /* number of the package, by its sender */
    uint32_t session; /* session of the package; 0: the connection; for a panic 0, or an unknown session, means every robot */
    uint16_t epoch; /* number of panics of the robot that the sender knows of, the lowest 16 bits; commands of an older epoch never run */
    uint16_t stops; /* stops by other sessions, and losses of leases, that were reported to the sender, the lowest 16 bits; commands with an older number never run */
    robo_time stamp; /* earliest instant at which the package was made, on the server's clock; ROBO_NO_TIME: unknown */
};
/* the head of an entry of a payload */
struct robo_entry {
    uint16_t op; /* number of the query, command, signal or notice */
    uint16_t size; /* bytes of body that follow this head */
    uint32_t id; /* number of the query or command, by the client; answers carry it */
};
/* a robot's kinodynamic state */
struct robo_state {
    robo_time time; /* instant of the state, on the server's clock */
    uint32_t epoch; /* number of panics so far */
    uint8_t panic; /* 1 while in panic */
    uint8_t moving; /* 1 while any dof or the base moves */
    double pose[3]; /* root link in the world: x, y, z [m] */
    double attitude[3]; /* root link in the world: roll, pitch, yaw (fixed axes x, y, z); yaw does not wrap [rad] */
    double twist[3]; /* velocity along the root link's own x, y, z [m/s] */
    double spin[3]; /* angular velocity about the root link's own x, y, z [rad/s] */
    double voltage; /* battery voltage; 0: no battery [V] */
    double charge; /* battery charge, 0 to 1 [ratio] */
    double override; /* speed override: motions run at this share of their speeds [ratio] */
    uint16_t dofs; /* number of dofs that follow */
    double position[512]; /* of each dof [dof] */
    double speed[512]; /* of each dof [dof/s] */
};
/* a state, with its requested optional parts */
struct robo_reply_state {
    robo_time time; /* instant of the state, on the server's clock */
    uint32_t epoch; /* number of panics so far */
    uint8_t panic; /* 1 while in panic */
    uint8_t moving; /* 1 while any dof or the base moves */
    double pose[3]; /* root link in the world: x, y, z [m] */
    double attitude[3]; /* root link in the world: roll, pitch, yaw (fixed axes x, y, z); yaw does not wrap [rad] */
    double twist[3]; /* velocity along the root link's own x, y, z [m/s] */
    double spin[3]; /* angular velocity about the root link's own x, y, z [rad/s] */
    double voltage; /* battery voltage; 0: no battery [V] */
    double charge; /* battery charge, 0 to 1 [ratio] */
    double override; /* speed override: motions run at this share of their speeds [ratio] */
    uint16_t dofs; /* number of dofs that follow */
    double position[512]; /* of each dof [dof] */
    double speed[512]; /* of each dof [dof/s] */
    uint16_t forces; /* number of forces that follow: one for each dof, or none */
    uint8_t known[512]; /* for each dof: 1: its force is known */
    double force[512]; /* of each dof; 0: unknown [dof force] */
    uint16_t frames; /* number of control frames that follow: all, or none; present whenever `forces` is */
    double x[256]; /* of each, in the root link's frame [m] */
    double y[256]; /* of each, in the root link's frame [m] */
    double z[256]; /* of each, in the root link's frame [m] */
    double roll[256]; /* of each, in the root link's frame [rad] */
    double pitch[256]; /* of each, in the root link's frame [rad] */
    double yaw[256]; /* of each, in the root link's frame [rad] */
};
/* query hello: first query on a connection: versions, identity and requested role of the client */
struct robo_request_hello {
    uint8_t lowest; /* lowest version spoken */
    uint8_t highest; /* highest version spoken */
    char name[64]; /* name of the client, for people */
    uint64_t capabilities; /* bits: capabilities beyond the version; none is defined yet */
    uint8_t role; /* the requested role */
    char token[256]; /* the client's token, if the server requires one; otherwise empty */
    uint64_t lease; /* random number chosen by the client; connections with the same number count as one client; 0: this connection alone */
};
/* reply to hello */
struct robo_reply_hello {
    uint8_t version; /* the version to use */
    char name[64]; /* name of the server, for people */
    uint64_t capabilities; /* bits: capabilities beyond the version; none is defined yet */
    uint8_t role; /* the granted role, no greater than the requested one */
    uint16_t robots; /* number of robots that it serves */
    robo_time now; /* the server's clock */
};
/* query robot: the name of one robot, for listing them */
struct robo_request_robot {
    uint16_t index; /* 0 and up */
};
/* reply to robot */
struct robo_reply_robot {
    char name[32]; /* its name */
    uint16_t sessions; /* open sessions, including those of the server's own program */
    uint8_t panic; /* 1 while in panic */
};
/* query open: opens a session with one robot in one command mode */
struct robo_request_open {
    char robot[32]; /* its name; empty: the first */
    char mode[32]; /* direct, delay, playback, broadcast, or a mode of the server's owner */
    robo_time delay; /* delay mode: the delay of every command */
    robo_time duration; /* playback mode: length of the sequence; 0: unknown */
    robo_time deadman; /* silence after which a moving robot stops; 0: the robot's own deadman time */
    robo_time gap; /* longest time between two frames of a buffered session; a longer one counts as silence; 0: the deadman time */
    robo_time expiry; /* age beyond which a command is refused; 0: the mode's own; -1 us: none */
    robo_time jitter; /* longest measured delay to the server: the greatest round trip less half of the least; 0: unknown */
    char options[512]; /* name=value, comma separated, for the mode's script */
    uint8_t errors; /* 1: SUCCESS results are counted and not sent, except those of stops */
    uint8_t newest; /* 1: of the commands that wait for the same axes only the newest is kept; not in a mode that holds packages */
};
/* reply to open */
struct robo_reply_open {
    uint32_t session; /* its number, for the header of every package of this session */
    uint32_t epoch; /* panics of this robot so far */
    uint32_t stops; /* stops so far; the lowest 16 bits go into the headers of later packages */
    uint8_t panic; /* 1 while in panic */
    uint8_t blocking; /* 1: the mode's calls wait for their answers */
    uint8_t holds; /* 1: the mode holds packages until it has decided their delay */
    uint8_t buffered; /* 1: commands are a sequence, sent in advance: the times between them are kept */
    robo_time deadman; /* as granted */
    robo_time gap; /* as granted */
    robo_time expiry; /* as granted; -1 us: none */
    char robot[32]; /* name of the robot */
    uint8_t errors; /* as granted; 0 in a mode whose calls wait for their answers */
};
/* query sync: one exchange of clock readings */
struct robo_request_sync {
    robo_time sent; /* the client's clock when it sent this */
};
/* reply to sync */
struct robo_reply_sync {
    robo_time sent; /* as in the request */
    robo_time received; /* the server's clock when the request arrived */
    robo_time replied; /* the server's clock when the answer left */
};
/* query state: the robot's kinodynamic state now */
struct robo_request_state {
    uint8_t more; /* optional parts of the answer: bits, as below */
};
/* query broadcast: sends the state every period, until cancelled; the answers carry this query's id */
struct robo_request_broadcast {
    robo_time period; /* sampling time, at least 1 ms */
    uint8_t more; /* as in state */
};
/* query broadcast_cancel: ends a broadcast, a watch, a view, or a picture that has not arrived */
struct robo_request_broadcast_cancel {
    uint32_t broadcast; /* id of that query */
};
/* query cancel: cancels a command, which brakes within its limits if it is in progress; or all of the session that have not begun */
struct robo_request_cancel {
    uint32_t command; /* id of the command; 0: all of this session that have not begun */
};
/* reply to cancel */
struct robo_reply_cancel {
    uint32_t count; /* number of cancelled commands */
};
/* reply to status */
struct robo_reply_status {
    uint32_t held; /* commands in the playback queue */
    uint32_t queued; /* commands in the command queue */
    uint32_t running; /* motions that have not ended */
    uint64_t executed; /* commands begun */
    uint64_t underruns; /* commands that arrived after they should have begun */
    uint64_t refused; /* commands refused, or ended before they began */
    uint8_t decided; /* 1: the mode has chosen its shift */
    robo_time delay; /* start delay: time from the start of the first command, on the server's clock, until it began */
    robo_time worst; /* greatest lateness with which a command began */
    robo_time needed; /* least start delay that would have sufficed for the commands received so far */
    uint32_t unanswered; /* commands that have no result yet */
    uint64_t succeeded; /* SUCCESS results that were not sent */
};
/* query override: the speed override: from now on all motions of the robot run at this share of their speeds; 0 holds them on their paths */
struct robo_request_override {
    double share; /* 0, or 0.001 to 1 [ratio] */
};
/* reply to pauses */
struct robo_reply_pauses {
    uint32_t count; /* pauses that have ended */
    robo_time added; /* increase of the shift by all of them */
    uint8_t kept; /* number of pauses that follow: the newest ones, the oldest of these first */
    robo_time due[32]; /* when the missing frame should have begun */
    robo_time later[32]; /* increase of the shift */
    double path[32]; /* distance that the root link moved after that, by lasting speeds [m] */
    double turn[32]; /* angle that it turned [rad] */
    double dof[32]; /* greatest distance that a dof moved [dof] */
};
/* query sense: the newest readings of some sensors */
struct robo_request_sense {
    uint8_t bytes; /* bytes of mask that follow */
    uint8_t mask[32]; /* bit n of byte k: sensor 8k + n */
};
/* reply to sense */
struct robo_reply_sense {
    uint16_t readings; /* number of readings that follow, in the order of their sensors */
    uint16_t total; /* values of all of them */
    uint16_t sensor[256]; /* number of the sensor */
    uint64_t number[256]; /* number of the reading at its sensor, from 1; 0: none yet */
    robo_time time[256]; /* instant of the reading, on the server's clock */
    uint16_t values[256]; /* number of its values */
    double value[2048]; /* values of all readings, in their order */
};
/* query watch: sends readings of some sensors, whenever there are new ones, at most once a period, until broadcast_cancel; the answers carry this query's id */
struct robo_request_watch {
    robo_time period; /* shortest time between two answers, at least 1 ms */
    uint8_t bytes; /* as in sense */
    uint8_t mask[32]; /* as in sense */
};
/* query record: all readings of a sensor after a given one, the oldest first, as far as the server keeps them and they fit into one answer */
struct robo_request_record {
    uint16_t sensor; /* its number */
    uint64_t after; /* number of the last reading that the client has; 0: none */
};
/* query picture: a picture of a camera, in pieces: the answers carry this query's id */
struct robo_request_picture {
    uint16_t camera; /* its number */
    uint8_t format; /* encoding of its bytes: 1 JPEG, 2 RGB, 3 gray; a pixel has 3 bytes or 1, row by row from the top */
    uint8_t quality; /* of JPEG; must be in range for pixels, too */
    uint16_t width; /* most pixels: the picture is scaled down by a whole number; 0: any */
    uint16_t height; /* most pixels, in the same way; 0: any */
    uint64_t after; /* number of a picture: a newer one is requested; 0: the newest, also an old one */
    uint32_t window; /* most bytes of pieces in flight, which the client has not acknowledged by `pieces` */
    robo_time period; /* view: shortest time from one picture to the next, 1 ms to an hour; picture: ignored */
};
/* reply to picture */
struct robo_reply_picture {
    uint64_t number; /* number of the picture at its camera, from 1 */
    robo_time time; /* when it was taken, on the server's clock */
    uint16_t width; /* pixels */
    uint16_t height; /* pixels */
    uint8_t format; /* as requested */
    uint32_t size; /* bytes of the whole picture */
    uint32_t offset; /* first byte of this piece */
    uint16_t count; /* bytes that follow */
    uint8_t bytes[16384]; /* of the picture, from that offset on */
};
/* query view: sends pictures of a camera, whenever there is a newer one and the last one was sent, at most one a period, until broadcast_cancel */
struct robo_request_view {
    uint16_t camera; /* its number */
    uint8_t format; /* encoding of its bytes: 1 JPEG, 2 RGB, 3 gray; a pixel has 3 bytes or 1, row by row from the top */
    uint8_t quality; /* of JPEG; must be in range for pixels, too */
    uint16_t width; /* most pixels: the picture is scaled down by a whole number; 0: any */
    uint16_t height; /* most pixels, in the same way; 0: any */
    uint64_t after; /* number of a picture: a newer one is requested; 0: the newest, also an old one */
    uint32_t window; /* most bytes of pieces in flight, which the client has not acknowledged by `pieces` */
    robo_time period; /* view: shortest time from one picture to the next, 1 ms to an hour; picture: ignored */
};
/* query pieces: acknowledges received bytes of a picture, a view, a broadcast or a watch, so that more may follow */
struct robo_request_pieces {
    uint32_t query; /* id of that query */
    uint64_t bytes; /* bytes of all its pieces so far, or of the bodies of all its answers; ERANGE: more than were sent */
};
/* reply to describe */
struct robo_reply_describe {
    char name[32]; /* its name */
    char model[64]; /* its body, for people */
    uint16_t links; /* number of links */
    uint16_t joints; /* number of joints */
    uint16_t frames; /* number of control frames */
    uint16_t dofs; /* dofs of all joints */
    uint64_t commands; /* bit n: command 256 + n is supported */
    robo_time deadman; /* its deadman time */
    uint32_t revision; /* number of times that its description was replaced */
};
/* query joint: one joint */
struct robo_request_joint {
    uint16_t number; /* its number */
};
/* query dof: one dof */
struct robo_request_dof {
    uint16_t number; /* its number */
};
/* query link: one link */
struct robo_request_link {
    uint16_t number; /* its number */
};
/* query frame: one control frame */
struct robo_request_frame {
    uint16_t number; /* its number */
};
/* query configuration: the configuration block, or as much of it as fits into one answer */
struct robo_request_configuration {
    uint32_t offset; /* first requested byte */
};
/* reply to configuration */
struct robo_reply_configuration {
    uint32_t revision; /* as in describe: blocks of two revisions must not be mixed */
    uint32_t size; /* bytes of the whole block */
    uint16_t count; /* bytes that follow */
    uint8_t bytes[16384]; /* of the block, from that offset on */
};
/* query reload: replaces the description of the robot by a configuration block, which is sent in pieces, in their order; the last piece applies it */
struct robo_request_reload {
    uint32_t size; /* bytes of the whole block */
    uint32_t offset; /* first byte of this piece: the end of the previous one; 0 starts again */
    uint16_t count; /* bytes that follow */
    uint8_t bytes[16384]; /* of the block, from that offset on */
};
/* reply to reload */
struct robo_reply_reload {
    uint32_t received; /* bytes of the block received so far */
    uint32_t revision; /* revision of the description: after the last piece the new one */
    uint32_t kept; /* after the last piece: number of queued commands that were kept, with their new numbers */
    uint32_t dropped; /* after it: number of queued commands whose joint, dof or control frame no longer exists */
};
/* query holder: one of the clients that hold leases of the session's robot, for listing them; ENONE: there are no more */
struct robo_request_holder {
    uint16_t index; /* 0 and up */
};
/* reply to holder */
struct robo_reply_holder {
    uint32_t holder; /* its number; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
    uint8_t own; /* 1: it is the client that sends the query */
    robo_time left; /* until the last of its leases expires, unless it uses them again */
    uint8_t base; /* 1: it has the base */
    uint8_t bytes; /* bytes of mask that follow */
    uint8_t mask[64]; /* bit n of byte k: it has dof 8k + n */
};
/* query take: asks for leases of the session's robot; repeated, it reports the state of the request */
struct robo_request_take {
    uint8_t base; /* 1: of the base */
    uint8_t bytes; /* bytes of mask that follow; 0, and not the base: of all axes */
    uint8_t mask[64]; /* bit n of byte k: of dof 8k + n */
    uint8_t force; /* 1: without asking their holders, where the server allows this */
    uint8_t revision; /* revision of these numbers of dofs, as in the header of commands */
};
/* reply to take */
struct robo_reply_take {
    uint8_t state; /* 1 taken; 2 taken, but their axes are still braking; 3 their holders are asked; 4 some were refused; 5 not yet asked, because the client asked a moment ago */
    uint32_t holder; /* for 3 to 5: number of a client that holds one; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
    robo_time left; /* for 3: until silence counts as consent; for 4 and 5: until the client may ask again */
};
/* query give: answers the notice `asked`; ENONE: that client asks for no lease that this one holds */
struct robo_request_give {
    uint32_t holder; /* number of the client that asks */
    uint8_t give; /* 1: the leases are given; 0: they are refused */
};
/* query release: gives leases of the session's robot back; motions of the client there are stopped first, and commands waiting for them are interrupted */
struct robo_request_release {
    uint8_t base; /* 1: of the base */
    uint8_t bytes; /* bytes of mask that follow; 0, and not the base: of all axes */
    uint8_t mask[64]; /* bit n of byte k: of dof 8k + n */
    uint8_t asked; /* 1: only its pending requests are withdrawn; its leases stay */
    uint8_t revision; /* revision of these numbers of dofs, as in the header of commands */
};
/* query resume: ends the latch set by another client's stop of everything; ESTOPPED: `stop` is not the number of that stop, or for scope 1 not the number of the newest stop */
struct robo_request_resume {
    uint32_t stop; /* number of the stop, as in the notice `latched` and the query `latch` */
    uint8_t scope; /* 0: the client that sends the query; 1: all clients; 2: one client; 1 and 2 are for the client that stopped, or the role operate */
    uint32_t client; /* for scope 2: number of that client */
};
/* query latch: one of the clients that are latched by a stop, for listing them; ENONE: there are no more */
struct robo_request_latch {
    uint16_t index; /* 0 and up */
};
/* reply to latch */
struct robo_reply_latch {
    uint32_t stop; /* number of the stop that latched it */
    uint32_t client; /* its number; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
    uint8_t own; /* 1: it is the client that sends the query */
    uint32_t by; /* number of the client that stopped it */
    char stopper[64]; /* name of that client, for people */
    robo_time since; /* instant of the stop, on the server's clock */
    uint8_t connected; /* 0: it has no session with the robot now */
};
/* reply to lists */
struct robo_reply_lists {
    uint16_t addresses; /* number of addresses that it listens on */
    uint32_t ended; /* connections that it closes because the lists now grant fewer permissions */
};
/* reply to bus */
struct robo_reply_bus {
    uint8_t order; /* which joint gets the next message, as in the configuration block */
    double rate; /* messages a second that it carries [1/s] */
    uint64_t slots; /* slots in which a message could have been sent while there was work */
    uint64_t messages; /* messages sent */
    uint64_t refused; /* messages that the line could not take */
    uint64_t lost; /* messages that did not arrive, as far as the server knows */
    double error; /* weighted size of the task's error after the last message [m/s] */
    double rms; /* root mean square of that, over about a second of slots [m/s] */
    uint16_t dofs; /* dofs that follow */
    uint32_t told[512]; /* messages to each dof */
    robo_time age[512]; /* since its last message; -1 us: it is not on the bus */
};
/* query script: one of the scripts that run in the server, for listing them; ENONE: there is none of that index */
struct robo_request_script {
    uint16_t index; /* 0 and up */
};
/* reply to script */
struct robo_reply_script {
    char name[32]; /* its name */
    char file[128]; /* its file; the end of a long path */
    char state[16]; /* starting; running; ending; waiting (to be started again); ended (by itself); failed; stopped (by a client); or stuck (it cannot be ended) */
    char restart[16]; /* when it is started again: never, failure or always */
    uint32_t starts; /* number of times that it was started */
    robo_time since; /* when it began or ended, on the server's clock */
    uint64_t memory; /* bytes in use */
    robo_time seconds; /* processor time used since it was started */
    char why[128]; /* why it failed or is stuck */
};
/* query script_start: starts a script of the server that is not running */
struct robo_request_script_start {
    char name[32]; /* its name */
};
/* query script_stop: ends a script: its connections are closed, and it is not started again */
struct robo_request_script_stop {
    char name[32]; /* its name */
};
/* query script_reload: replaces a script by the present contents of its file: the new one is loaded, then the old one ended; if loading fails, the old one goes on */
struct robo_request_script_reload {
    char name[32]; /* its name */
};
/* the first part of every command's body */
struct robo_start {
    robo_time start; /* instant to begin, on the server's clock; in playback mode on any clock with correct differences; ROBO_NO_TIME: at once */
};
/* a command to dofs of a joint */
struct robo_servo_command {
    uint16_t joint; /* number of the joint */
    uint8_t mask; /* bit n: dof n is commanded */
    uint8_t velocities; /* number of velocities on the wire: none, or those up to the last that is not 0 */
    double value[6]; /* set-points, speeds, or forces and torques */
    double speed; /* greatest speed on the way to set-points; 0: the joint's own */
    double acceleration; /* greatest acceleration on the way; 0: the joint's own */
    double velocity[6]; /* velocities of moving set-points; 0: they stay */
};
/* a command to a control frame */
struct robo_frame_command {
    uint16_t frame; /* number of the control frame */
    uint8_t free; /* for a pose, bits: 1: any attitude is accepted, only the position counts; 2: it ends on its straight line rather than leave it */
    double linear[3]; /* position, velocity or force: x, y, z */
    double angular[3]; /* roll, pitch, yaw; or angular velocity or torque about x, y, z */
    double speed; /* greatest speed on the way to a pose; 0: the frame's own */
    double acceleration; /* greatest acceleration on the way; 0: as the dofs permit */
};
/* command stop: stops the base and every joint, or only the named ones, within their acceleration limits; motions in progress are interrupted */
struct robo_stop {
    uint8_t scope; /* 0: motions of all clients; 1: only motions of the session that sends it, and its queued or held commands */
    uint8_t base; /* 1: the base is named */
    uint8_t bytes; /* bytes of mask that follow; if 0, and the base is not named, everything stops */
    uint8_t mask[64]; /* bit n of byte k: dof 8k + n is named */
};
/* command go_to: drives or walks the root link to a place on the floor; holds the base until it arrives */
struct robo_go_to {
    double x; /* in the world [m] */
    double y; /* in the world [m] */
    double theta; /* heading in the world, counter-clockwise from x; NAN: as it arrives [rad] */
    double speed; /* greatest speed; turning is slowed down by the same ratio to its limit; 0: the limits [m/s] */
    double acceleration; /* greatest acceleration, with turning by the same ratio; 0: the limits [m/s2] */
};
/* command set_speed: velocity of the root link in its own frame, until changed */
struct robo_set_speed {
    double x; /* ahead [m/s] */
    double y; /* to the left [m/s] */
    double theta; /* counter-clockwise [rad/s] */
};
/* command home: every joint to its rest position */
struct robo_home {
    double speed; /* greatest speed of each dof; 0: the dof's own [dof/s] */
    double acceleration; /* greatest acceleration of each dof; 0: the dof's own [dof/s2] */
};
/* command step: one step of one leg */
struct robo_step {
    uint8_t leg; /* number of the leg */
    double x; /* landing point of the foot, in the root link's frame [m] */
    double y; /* landing point of the foot [m] */
    double theta; /* heading of the foot [rad] */
    double speed; /* greatest speed of the foot over the floor; 0: the leg's own [m/s] */
};
/* the result of a command, as on the wire */
struct robo_result_entry {
    uint8_t signal; /* one of the seven signals */
    uint8_t reason; /* the reason */
    robo_time scheduled; /* instant at which it should have begun, after the mode's shift; of refused commands as far as known; ROBO_NO_TIME: unknown */
    robo_time executed; /* instant at which it began; executed - scheduled is its lateness; ROBO_NO_TIME: never */
    robo_time finished; /* instant at which it ended, or was refused */
};
/* follows it when a control frame did not reach its goal */
struct robo_missed {
    double position_error; /* distance of the control frame from the requested position [m] */
    double rotation_error; /* angle between its attitude and the requested one; 0 where any was accepted [rad] */
};
/* the result of a part of a move */
struct robo_part {
    uint8_t kind; /* kind of part */
    uint8_t signal; /* its own; na: the body lacks the part, which was left out */
    uint8_t reason; /* the reason */
    uint16_t number; /* of the dof or control frame; 0 for the base */
};
/* notice fault: a package or query was refused; the connection stays open unless the framing is lost */
struct robo_notice_fault {
    uint16_t code; /* error number */
    uint8_t lowest; /* for EVERSION: the lowest version that the server speaks; otherwise 0 */
    uint8_t highest; /* for EVERSION: the highest; otherwise 0 */
    uint32_t package; /* id of the package */
    uint32_t query; /* id of the query or command; 0: the package as a whole */
    uint32_t offset; /* byte of the package, counted from its header, at which the refused entry or header field begins; 0: unspecified */
    char text[128]; /* the expected value, for people */
};
/* notice panicked: the robot of this session entered panic; its queues are empty */
struct robo_notice_panicked {
    uint32_t epoch; /* number of panics so far */
};
/* notice reset: the panic of this session's robot was reset */
struct robo_notice_reset {
    uint32_t epoch; /* number of panics so far */
};
/* notice deadman: the robot was stopped because this session was silent */
struct robo_notice_deadman {
    robo_time silence; /* length of the silence */
};
/* notice changed: the description of this session's robot was replaced: the client must fetch its configuration again */
struct robo_notice_changed {
    uint32_t revision; /* number of times that this has happened */
};
/* notice stopped: another session stopped the robot, and the running, queued and held commands of this one were interrupted; or, after `lost`, leases were lost */
struct robo_notice_stopped {
    uint32_t stops; /* number of such stops and losses so far; the lowest 16 bits go into the headers of later packages */
};
/* notice paused: a frame is missing: the session holds again, and axes with a speed brake */
struct robo_notice_paused {
    uint32_t count; /* number of times that this has happened */
    robo_time due; /* when that frame should have begun */
};
/* notice resumed: the commands that the session holds are played again, later than before */
struct robo_notice_resumed {
    uint32_t count; /* number of pauses so far, including those too short to brake */
    robo_time due; /* when the missing frame should have begun */
    robo_time later; /* increase of the shift */
    double path; /* distance that the root link moved after that [m] */
    double turn; /* angle that it turned [rad] */
    double dof; /* greatest distance that a dof moved [dof] */
};
/* notice settled: after finish, for a session that receives errors only: each command so far has its result; those without a sent result are SUCCESS */
struct robo_notice_settled {
    uint64_t succeeded; /* number of commands of the session that ended so */
};
/* notice override: the speed override of this session's robot has changed */
struct robo_notice_override {
    double share; /* the new override [ratio] */
};
/* notice held: before a result busy, lease, if the holder has changed since the last one: the client that holds the lease of the command's axes */
struct robo_notice_held {
    uint32_t holder; /* number of that client; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
};
/* notice leases: the leases of another client of this session's robot have changed; expiry alone is not reported */
struct robo_notice_leases {
    uint32_t changes; /* number of times that this has happened */
};
/* notice asked: another client asks for leases that this one has; the query `give` answers, and silence counts as consent */
struct robo_notice_asked {
    uint32_t holder; /* number of that client; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
    robo_time due; /* instant until which it waits for the answer */
    uint8_t base; /* 1: it asks for the base */
    uint8_t bytes; /* bytes of mask that follow */
    uint8_t mask[64]; /* bit n of byte k: it asks for dof 8k + n */
};
/* notice lost: another client took leases that this one had: motions and waiting commands of these axes were interrupted; `stopped` follows, with the new count */
struct robo_notice_lost {
    uint32_t holder; /* number of that client; 0: the program that serves the robot */
    char name[64]; /* name that the client gives itself, for people */
    uint32_t count; /* number of times that this has happened since the last such notice */
};
/* notice answered: this client's request for leases is decided; `take` reports the state */
struct robo_notice_answered {
    uint8_t state; /* 1 taken; 4 refused; 0 the request has ended, because the robot's description was replaced */
};
/* notice fallen: the robot of this session has fallen over, or is upright again */
struct robo_notice_fallen {
    uint8_t lies; /* 1: it has fallen, and its base accepts only stops; 0: it is upright again */
    uint32_t falls; /* number of falls so far */
};
/* notice latched: a stop by another client has latched this session's client: motion commands are INTERRUPTED, stopped, until `resume`; or the latch has ended; or, before the result of the client's own stop, the number of that stop */
struct robo_notice_latched {
    uint32_t stop; /* number of the stop, for `resume`; 0: no stop */
    uint8_t holds; /* 1: this client is latched; 0: it is not */
    uint32_t by; /* number of the client that stopped it */
    char name[64]; /* name that the client gives itself, for people */
    robo_time since; /* instant of the stop, on the server's clock */
};
/* notice blocked: something keeps the base of this session's robot from moving as commanded, or nothing does any more; sent before a result blocked of the base */
struct robo_notice_blocked {
    char name[64]; /* name of the thing or the robot in the way; empty: the way is free */
};
/* the first part of a configuration block's header */
struct robo_block {
    uint32_t magic; /* 0x52544342, the letters RTCB */
    uint16_t version; /* 2 */
    uint16_t header; /* bytes of the header: this part and the next */
    uint32_t size; /* bytes of the whole block */
    uint32_t offset[8]; /* first byte of each section: links, joints, dofs, control frames, shapes, cameras, sensors, widgets */
    uint16_t bytes[8]; /* bytes of one record of each section */
};
/* a rigid body */
struct robo_link {
    char name[32]; /* its name */
    double mass; /* 0: not known [kg] */
    double com[3]; /* centre of mass in the link's frame [m] */
    double inertia[6]; /* about the centre of mass, along the link's axes: xx, yy, zz, xy, xz, yz [kg*m2] */
    double position[3]; /* roots only: in the world [m] */
    double attitude[3]; /* roots only: in the world [rad] */
};
/* the connection of a link to its parent, with its dofs in the order in which they act */
struct robo_joint {
    char name[32]; /* its name */
    uint16_t parent; /* link; 65535: the world */
    uint16_t child; /* link */
    uint8_t servo; /* bits: 1 setpoint, 2 speed, 4 force */
    uint8_t leg; /* number of the leg that it belongs to, for walking */
    double inboard[3]; /* position of the joint from the parent's centre of mass, along the parent's axes [m] */
    double outboard[3]; /* position of the joint from the child's centre of mass, along the child's axes [m] */
    double rest[9]; /* rest matrix, row by row: rotation from the joint's axes to the parent's when all dofs are 0 [ratio] */
    uint16_t first; /* number of its first dof */
    uint8_t dofs; /* 1 to 6; 0 for the joint of a root that no dof moves */
    char translator[64]; /* name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor */
    uint8_t device; /* number of its driver */
};
/* a degree of freedom */
struct robo_dof {
    char name[32]; /* its name */
    uint8_t kind; /* 0 revolute, 1 prismatic */
    double axis[3]; /* in the joint's frame [ratio] */
    double low; /* limit: the least [dof] */
    double high; /* limit: the greatest; less than the least: none [dof] */
    double speed; /* greatest; 0: not known [dof/s] */
    double acceleration; /* greatest; 0: not known [dof/s2] */
    double force; /* greatest; 0: not known [dof force] */
    double home; /* its position after home and at the start [dof] */
    uint8_t retreats; /* 1: on panic it moves to `retreat`, if the robot's panic is a retreat */
    double retreat; /* position to retreat to [dof] */
    uint16_t mimics; /* number of the dof that it follows, plus 1; 0: none */
    double ratio; /* its position is ratio * the other's position + shift [ratio] */
    double shift; /* shift of that position [dof] */
};
/* a control frame, fixed to its link */
struct robo_frame {
    char name[32]; /* its name */
    uint16_t link; /* the link that it is fixed to */
    double position[3]; /* x, y, z in the link's frame [m] */
    double attitude[3]; /* roll, pitch, yaw about the fixed axes x, y, z of the link's frame [rad] */
    uint8_t servo; /* bits: 1 setpoint, 2 speed, 4 force */
    double speed; /* greatest; 0: not known [m/s] */
    double turn; /* greatest; 0: not known [rad/s] */
    char translator[64]; /* name of the translator, as for a joint */
};
/* a shape of a link */
struct robo_shape {
    uint16_t link; /* the link that it is part of */
    uint8_t kind; /* 0 box, 1 cylinder, 2 sphere, 3 mesh; cylinders lie along z */
    double size[3]; /* box: along x, y, z; cylinder: radius, length; sphere: radius; mesh: scale. One number for a box or a mesh: all three [m] */
    double position[3]; /* x, y, z in the link's frame [m] */
    double attitude[3]; /* roll, pitch, yaw about the fixed axes x, y, z of the link's frame [rad] */
    uint32_t colour; /* 0xrrggbbaa; 0: unspecified */
    char file[128]; /* of a mesh */
    uint8_t solid; /* 1: for collisions; 0: for pictures */
    uint8_t roll; /* 0 not, 1 wheel, 2 omni, 3 caster; for a shape that carries the root link, with physics: a wheel or an omni wheel (cylinders), which the base drives, or a caster (a sphere) */
    double friction; /* coefficient of sliding friction; 0: 1 [ratio] */
};
/* a camera; it points along the x axis of its frame */
struct robo_camera {
    char name[32]; /* its name */
    uint16_t link; /* the link that it is fixed to */
    double position[3]; /* x, y, z in the link's frame [m] */
    double attitude[3]; /* roll, pitch, yaw about the fixed axes x, y, z of the link's frame [rad] */
    uint16_t width; /* pixels */
    uint16_t height; /* pixels */
    double fov; /* horizontal field of view [rad] */
    double rate; /* pictures a second [1/s] */
    char translator[64]; /* name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor */
    uint8_t device; /* which driver gives its pictures; 255: none */
};
/* a sensor; it points along the x axis of its frame */
struct robo_sensor {
    char name[32]; /* its name */
    uint16_t link; /* the link that it is fixed to */
    double position[3]; /* x, y, z in the link's frame [m] */
    double attitude[3]; /* roll, pitch, yaw about the fixed axes x, y, z of the link's frame [rad] */
    char kind[32]; /* one of the kinds of docs/sensors.md (sonar, laser, bumper, imu, …), or a custom type */
    double low; /* reading, in its unit: the least [dof] */
    double high; /* reading, in its unit: the greatest; less than the least: none [dof] */
    double opening; /* opening angle; 0: a ray [rad] */
    char unit[16]; /* of its readings */
    uint16_t count; /* number of values of a reading */
    double rate; /* readings a second; 0: that of its kind [1/s] */
    double fov; /* of a scan: angle from the first beam, on the right, to the last [rad] */
    char values[128]; /* of a custom type: names of its values, separated by spaces */
    char translator[64]; /* name of the translator between it and a user's device, for RCTP clients: a bundled one, or NAME.lua next to the descriptor */
    double noise[3]; /* simulated: standard deviation of each reading, in its unit [dof] */
    double noise_scale; /* simulated: further standard deviation, as a share of the reading [ratio] */
    double bias[3]; /* simulated: constant that is added to each reading, in its unit [dof] */
    double resolution[3]; /* simulated: readings are multiples of this step, in their unit [dof] */
    double dropout; /* simulated: probability that a reading is missing; for a range, that it reports no obstacle [ratio] */
    robo_time latency; /* simulated: delay of a reading */
    double slip; /* simulated odometry: standard deviation of the distance counted after 1 m, m, and of the rotation, rad [ratio] */
    uint8_t device; /* which driver gives its readings; 255: none */
};
/* a control on an operator's panel */
struct robo_widget {
    char name[32]; /* its label */
    uint8_t kind; /* 0 slider, 1 knob, 2 number, 3 button, 4 pad, 5 label; its appearance */
    char command[32]; /* the command that it gives */
    uint16_t joint; /* the joint that it is for; 65535: none */
    uint8_t dof; /* dof within the joint; 255: none */
    double low; /* range: the least [dof] */
    double high; /* range: the greatest; less than the least: none [dof] */
    double step; /* smallest change; 0: none [dof] */
};
/* a driver of joints or the base, and its options, which a new body copies */
struct robo_binding {
    char driver[32]; /* its name; file: a shared object (robo_driver_entry) */
    uint8_t base; /* 1: it moves the root link: go_to, set_speed, step */
    uint16_t options; /* number of its options */
    const struct robo_option *option; /* the other keys of the entry in the descriptor */
};
/* a descriptor (RoboTalk III.B): links in a tree of joints, and fields of the whole robot; the records are in arrays of its creator, with the lengths given by the counts; a body has copies, which are read-only */
struct robo_description {
    char name[32]; /* its name */
    char model[64]; /* its body, for people */
    uint16_t links; /* records in the section of links */
    uint16_t joints; /* records in the section of joints; joint 0 is the root's */
    uint16_t dofs; /* records in the section of dofs */
    uint16_t frames; /* records in the section of control frames; control frame 0 is the root link's own frame */
    uint16_t shapes; /* records in the section of shapes */
    uint16_t cameras; /* records in the section of cameras */
    uint16_t sensors; /* records in the section of sensors */
    uint16_t widgets; /* records in the section of widgets */
    robo_time deadman; /* silence of its client after which it stops; 0: none */
    robo_time deadman_limit; /* longest deadman time that a client may request; 0: 5 s */
    robo_time gap_limit; /* longest time between two frames that a buffered session may request; 0: 5 s */
    uint8_t panic; /* 0 hold, 1 brake, 2 limp, 3 retreat; effect of a halt on this body */
    uint8_t holonomic; /* 1: the base can move sideways */
    double base_speed[3]; /* greatest: x, y m/s, theta rad/s [dof/s] */
    double base_acceleration[3]; /* greatest: x, y m/s2, theta rad/s2 [dof/s2] */
    double battery; /* of the full battery [J] */
    double voltage; /* of the full battery [V] */
    double bus_rate; /* messages a second that it carries [1/s] */
    uint8_t bus_order; /* 0 none, 1 sequential, 2 updated, 3 synchronised, 4 predictive, 5 greatest, 6 optimal, 7 planned; which joint gets the next message (paper 004); with none, commands go straight to the drivers */
    robo_time bus_age; /* longest time between messages to a joint: less than the watchdogs of its controllers */
    double bus_weight[7]; /* weights of errors: x, y, z of frames; roll, pitch, yaw and revolute dofs in metres a radian; all 0: not known [ratio] */
    uint64_t commands; /* bit n: command 256 + n is supported */
    char base_translator[64]; /* name of the base's translator; empty: none */
    uint8_t devices; /* number of its drivers */
    struct robo_binding device[ROBO_MAX_DEVICES];
    struct robo_link *link;
    struct robo_joint *joint;
    struct robo_dof *dof;
    struct robo_frame *frame;
    struct robo_shape *shape;
    struct robo_camera *camera;
    struct robo_sensor *sensor;
    struct robo_widget *widget;
};
struct robo_move; /* robotalk_command.h */
/* the body of a command, without its start */
union robo_cmd_body {
    struct robo_stop stop;
    struct robo_go_to go_to;
    struct robo_set_speed set_speed;
    struct robo_home home;
    struct robo_step step;
    struct robo_servo_command servo;
    struct robo_frame_command frame;
    struct robo_move *move;
};
/* cdef } */
#endif
