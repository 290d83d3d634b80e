// RoboTalk in a browser: import { connect } from "/robotalk.js". docs/page.md has examples, spec/robotalk.md the protocol. Numbers are in SI
// units, instants in seconds of the server's clock. Answers of the robot are values, never errors; what the link or the server refuses is
// a RoboTalkError with a code.
import { FLAG, MOST, MOVE, SERVO, TYPE } from "./robotalk/messages.js"
import { BLOCK, COMMANDS, decode, mask_of, RECORDS, ROBOT, RoboTalkError, Writer } from "./robotalk/wire.js"
import { Link } from "./robotalk/link.js"

export { RoboTalkError }

// Values of a control frame, and their servo command.
const FRAMES = [["position", "attitude", "setpoint"], ["linear", "angular", "speed"], ["force", "torque", "force"]]
const SOON = 0.25, LATE = 4 // s, between attempts to connect again
const TRAIN = 10 // packages without contents, by which a session that holds measures the link

// ---- a session with a robot ----

export class Robot {
  handlers = {}
  streams = new Set() // what comes again and again
  revision = 0
  succeeded = 0 // results

  // Connects, and opens a session.
  async begin(name, options) {
    const link = await Link.open(options)
    try {
      await this.join(link, name, options)
      await this.describe()
    } catch (error) {
      link.drop(error.message)
      throw error
    }
  }

  // Opens a session by that link.
  async join(link, robot, options) {
    const { mode = "direct", duration = 0, delay = 0, deadman = 0, gap = 0, expiry = 0, errors = 0, newest = 0 } = options
    const opened = await link.query("open", { robot, mode, delay, duration, deadman, gap, expiry, errors, newest, jitter: link.jitter,
      options: options.options ?? "" })
    Object.assign(this, { link, number: opened.session, name: opened.robot, epoch: opened.epoch & 65535, stops: opened.stops & 65535,
      panicked: opened.panic === 1, deadman: opened.deadman, blocking: opened.blocking === 1, holds: opened.holds === 1,
      outbox: new Writer(), outgoing: 0, drives: false, latch: undefined })
    link.sessions.set(this.number, this)
    for (let k = 0; this.holds && k < TRAIN; k++) link.send(TYPE.none)
  }

  // on("stopped", f): f is called with each such notice of spec/messages.md, with "lost" when the connection ends, and with "back".
  on(what, f) {
    (this.handlers[what] ??= []).push(f)
    return this
  }

  off(what, f) { this.handlers[what] = this.handlers[what]?.filter(g => g !== f) }
  emit(what, values) { for (const f of this.handlers[what] ?? []) f(values) }

  lose(error) {
    this.resetting?.lose(error)
    if (error.refused) {
      this.reconnects = null
      for (const stream of this.streams) stream.fail(error)
    }
    if (this.returning && !error.refused) return
    this.emit("lost", { reason: error.message, refused: error.refused, final: !this.reconnects })
    if (!this.returning) this.come_back()
  }

  // Connects again and again. Nothing that was given before is sent again: what was under way has ended with the link.
  async come_back() {
    this.returning = true
    for (let wait = SOON; this.reconnects && this.link.why; wait = Math.min(2 * wait, LATE)) {
      await new Promise(done => setTimeout(done, 1000 * wait * (0.5 + Math.random() / 2)))
      if (this.reconnects) await this.begin(this.name, this.reconnects).catch(error => error.refused && this.reconnects && this.lose(error))
    }
    this.returning = false
    if (!this.reconnects) return this.link.close()
    for (const stream of this.streams) stream.begin()
    this.emit("back", {})
  }

  query(name, values, receive) { return this.link.query(name, values, this, receive) }

  heard(name, values) {
    if (name === "panicked" || name === "reset") {
      this.epoch = values.epoch & 65535
      this.panicked = name === "panicked"
      if (name === "reset") this.resetting?.done()
    } else if (name === "stopped") {
      this.stops = values.stops & 65535
    } else if (name === "latched") {
      this.latch = values
    } else if (name === "changed") {
      this.describe().catch(() => {})
    }
    this.emit(name, values)
  }

  heard_fault(number, error) { if (this.resetting?.id === number) this.resetting.lose(error) }

  // The description: body.joint, body.dof, body.camera, …, lists of records as spec/messages.md has them.
  async describe() {
    let block, got = 0, size = 1, revision
    while (got < size) {
      const piece = await this.query("configuration", { offset: got })
      if (piece.revision !== revision && got > 0) { // another one since: from its begin
        got = revision = 0
        continue
      }
      [revision, size, block] = [piece.revision, piece.size, block?.length === piece.size ? block : new Uint8Array(piece.size)]
      if (piece.count === 0) throw new RoboTalkError("the description does not come whole", "EBODY")
      block.set(piece.bytes, got)
      got += piece.count
    }
    const view = new DataView(block.buffer), [head, at] = decode(BLOCK, view), body = decode(ROBOT, view, at, head.header)[0]
    for (let k = 0; RECORDS[k]; k++) {
      const { name, reply } = RECORDS[k], from = head.offset[k]
      body[name] = Array.from({ length: body[name + "s"] }, (_, i) =>
        ({ number: i, ...decode(reply, view, from + i * head.bytes[k], from + (i + 1) * head.bytes[k])[0] }))
    }
    for (const joint of body.joint) joint.dof = body.dof.slice(joint.first, joint.first + joint.dofs)
    this.revision = revision
    return this.body = body
  }

  // The one of that name, or number; an error that lists the names.
  find(kind, name) {
    const list = this.body[kind], one = list.find(r => r.name === name) ?? list[name]
    if (one) return one
    throw new RoboTalkError(`${this.name} has no ${kind} '${name}': it has ${list.map(r => r.name).join(", ") || "none"}`, "ENONE")
  }

  dof_of(joint, name) {
    const k = joint.dof.findIndex(d => d.name === name)
    if (k < 0) throw new RoboTalkError(`joint ${joint.name} has no dof '${name}': it has ${joint.dof.map(d => d.name).join(", ")}`, "ENONE")
    return k
  }

  // ---- commands: each answers { signal, reason, ok, scheduled, executed, finished, … } ----

  command(name, values = {}, start = null) { return this.give(name, start, w => w.fields(COMMANDS[name].request, values)) }

  // Commands of a turn go out together.
  give(name, start, write) {
    const id = this.link.next++, { number } = COMMANDS[name]
    const answer = new Promise(done => {
      const lose = error => done({ command: name, signal: "error", reason: "link", ok: false, why: error.message })
      if (this.link.why) return lose(this.link.why)
      this.link.waiting.set(id, { done, lose, session: this })
      if (this.outbox.at > MOST / 2) this.flush()
      if (this.outgoing++ === 0) queueMicrotask(() => this.flush())
      this.outbox.entry(number, id, w => {
        w.put("t", start, true)
        write(w)
      })
    })
    answer.then(({ signal }) => { this.succeeded += signal === "success" })
    answer.id = id
    this.drives ||= name !== "stop"
    return answer
  }

  flush() {
    if (this.outgoing > 0) this.link.send(TYPE.command, { session: this, entries: this.outbox, count: this.outgoing })
    this.outbox = new Writer()
    this.outgoing = 0
  }

  go_to(pose) { return this.command("go_to", pose) }
  set_speed(speed) { return this.command("set_speed", speed) }
  home(bounds) { return this.command("home", bounds) }
  step(leg) { return this.command("step", leg) }

  joint_values(name, values, more) {
    const joint = this.find("joint", name), value = []
    let mask = 0
    for (const [dof, x] of Object.entries(values)) {
      const k = this.dof_of(joint, dof)
      mask |= 1 << k
      value[k] = x
    }
    return { joint: joint.number, mask, value, velocities: 0, ...more }
  }

  // set_joint("head", { pan: 0.4 }, { speed: 1 })
  set_joint(name, values, bounds) { return this.command("set_joint", this.joint_values(name, values, bounds)) }
  set_joint_speed(name, values) { return this.command("set_joint_speed", this.joint_values(name, values)) }
  set_joint_force(name, values) { return this.command("set_joint_force", this.joint_values(name, values)) }

  set_frame(name, goal) { return this.command("set_frame", { frame: this.frame_of(name), free: goal.attitude ? 0 : 1, ...goal }) }
  set_frame_speed(name, speed) { return this.command("set_frame_speed", { frame: this.frame_of(name), ...speed }) }
  set_frame_force(name, force) { return this.command("set_frame_force", { frame: this.frame_of(name), ...force }) }
  frame_of(name) { return typeof name === "number" ? name : this.find("frame", name).number }

  // Motions that begin together: { base: { speed: { x, theta } } or { go_to: { x, y, theta } }, JOINT: { DOF: set-point }, … }; further of
  // a joint: speed: 1, the greatest on the way, velocity: { DOF: … } at the set-points, speed: { DOF: … } until changed, and force: { DOF: … };
  // of a control frame: { position, attitude }, { linear, angular } or { force, torque }.
  frame(parts, start = null) {
    const groups = { setpoints: new Map(), speeds: new Map(), forces: new Map() }, frames = []
    let velocities = false, limits = false
    for (const [name, values] of Object.entries(parts)) {
      if (name === "base") continue
      if (!this.body.joint.some(j => j.name === name) || FRAMES.some(kind => values[kind[0]] || values[kind[1]])) {
        frames.push([this.frame_of(name), values])
        continue
      }
      const joint = this.find("joint", name), { speed, velocity = {}, force = {}, ...goals } = values
      const number = dof => joint.first + this.dof_of(joint, dof), limit = typeof speed === "number" ? speed : 0
      for (const [dof, value] of Object.entries(goals)) groups.setpoints.set(number(dof), { value, velocity: velocity[dof] ?? 0, limit })
      for (const [dof, value] of Object.entries(velocity)) if (!(dof in goals)) groups.speeds.set(number(dof), { value })
      if (typeof speed === "object") for (const [dof, value] of Object.entries(speed)) groups.speeds.set(number(dof), { value })
      for (const [dof, value] of Object.entries(force)) groups.forces.set(number(dof), { value })
      velocities ||= Object.keys(velocity).some(dof => dof in goals)
      limits ||= limit > 0
    }
    const { go_to, speed } = parts.base ?? {}, bit = (name, on) => on ? MOVE[name] : 0
    return this.give("move", start, w => {
      w.put("H", MOVE.wide | bit("place", go_to) | bit("speed", speed) | bit("velocities", velocities) | bit("limits", limits)
        | bit("frames", frames.length > 0) | Object.entries(groups).reduce((all, [name, group]) => all | bit(name, group.size > 0), 0))
      for (const b of [go_to, speed]) if (b) for (const axis of ["x", "y", "theta"]) w.put("m", b[axis], b === go_to && axis === "theta")
      for (const [kind, group] of Object.entries(groups)) {
        if (group.size === 0) continue
        const dofs = [...group].sort((a, b) => a[0] - b[0]), { bytes, mask } = mask_of(dofs.map(d => d[0]))
        for (const x of [bytes, ...mask]) w.put("B", x)
        const goals = kind === "setpoints"
        for (const what of ["value", goals && velocities && "velocity", goals && limits && "limit"])
          if (what) for (const [, d] of dofs) w.put("m", d[what])
      }
      if (frames.length > 0) w.put("H", frames.length)
      for (const [number, values] of frames) {
        const kind = FRAMES.find(k => values[k[0]] || values[k[1]]) ?? FRAMES[0]
        w.put("H", number)
        w.put("B", SERVO[kind[2]])
        w.put("B", values.free ?? (kind === FRAMES[0] && !values.attitude ? 1 : 0)) // as any attitude does
        for (const part of [0, 1]) for (let k = 0; k < 3; k++) w.put("m", values[kind[part]]?.[k])
      }
    })
  }

  // ---- the state that the operator sees ----

  // An instant of the server's clock that every package of this connection has from now on as that at which it was made: of the state that its
  // operator has before their eyes. A view that freezes drives nothing for longer than the session's expiry.
  get seen() { return this.link.seen }
  set seen(time) { this.link.seen = time }
  now() { return this.link.now() } // the server's clock, s
  get round_trip() { return this.link.round_trip }
  drop(reason = "it was dropped") { this.link.drop(reason) } // without waiting for the server

  // ---- stop, panic ----

  // stop() stops everything, of all clients; stop({ own: true }) what this session moves.
  stop({ own = false } = {}) {
    const answer = this.command("stop", { scope: own ? 1 : 0 })
    this.flush()
    return answer
  }

  // All robots of the server: panic_all().
  panic() { this.link.must_send({ session: this, flags: FLAG.panic }) }
  panic_all() { this.link.must_send({ flags: FLAG.panic }) }

  // Ends the panic of the newest notice.
  async reset() {
    if (!this.panicked) return
    if (!this.resetting) {
      const one = { id: this.link.must_send({ session: this, flags: FLAG.reset }) }
      one.end = new Promise((done, lose) => Object.assign(one, { done, lose })).finally(() => { this.resetting = null })
      this.resetting = one
    }
    await this.resetting.end
  }

  // Ends the latch of this client after another's stop; resume({ all: true }) those of all clients. stop: the newest that its operator knows.
  resume({ all = false, stop = this.latch?.stop ?? 0 } = {}) { return this.query("resume", { stop, scope: all ? 1 : 0, client: 0 }) }
  cancel(answer) { return this.query("cancel", { command: answer?.id ?? 0 }) }
  override(share) { return this.query("override", { share }) }

  // ---- leases ----

  axes() { return { base: 1, ...mask_of(this.body.dof.map(d => d.number)) } }

  // Asks for the whole robot: true when it has been given; false: refused.
  async take() {
    let hear
    const decided = new Promise(done => { hear = notice => done(notice.state === 1) })
    this.on("answered", hear).on("lost", hear)
    try {
      const { state } = await this.query("take", { ...this.axes(), force: 0, revision: this.revision & 255 })
      return state === 1 || (state < 4 ? await decided : false)
    } finally {
      this.off("answered", hear)
      this.off("lost", hear)
    }
  }

  release() { return this.query("release", { base: 0, bytes: 0, mask: [], asked: 0, revision: this.revision & 255 }) }
  give_lease(holder, give = true) { return this.query("give", { holder, give: give ? 1 : 0 }) }
  holders() { return this.list("holder") }
  latches() { return this.list("latch") }

  async list(query) {
    const out = []
    try {
      for (let index = 0; ; index++) out.push(await this.query(query, { index }))
    } catch (error) {
      if (error.code !== "ENONE") throw error
    }
    return out
  }

  // ---- what comes again and again: each of these returns { cancel() } ----

  // values: a function, since they may be others by another link.
  again(name, values, receive, failed) {
    return this.stream(() => {
      const answer = this.query(name, values(), (reply, one, head) => {
        // the link is slow, or something on it keeps bytes: only what is acknowledged counts
        if (this.link.round_trip > 0.002 || this.link.now() - head.stamp > 0.05) this.acknowledge(answer.id, one.heard)
        receive(reply)
        return true
      })
      return answer
    }, failed)
  }

  // ask: begins it, again when the link is back; failed: is called when it ends by an error, also behind its first answer.
  stream(ask, failed) {
    const stream = {}, fail = stream.fail = error => {
      if (error.code === "ELINK" && this.reconnects && !error.refused) return
      this.streams.delete(stream)
      failed?.(error)
    }
    stream.begin = () => {
      stream.answer = ask()
      const one = this.link.waiting.get(stream.answer.id), lose = one?.lose
      stream.answer.catch(error => { if (!one) fail(error) })
      if (one) one.lose = error => {
        lose(error)
        fail(error)
      }
    }
    this.streams.add(stream)
    stream.begin()
    const cancel = () => {
      this.streams.delete(stream)
      this.link.waiting.delete(stream.answer.id)
      return this.query("broadcast_cancel", { broadcast: stream.answer.id }).catch(() => {})
    }
    return { cancel, begun: stream.answer }
  }

  acknowledge(query, bytes) { this.query("pieces", { query, bytes }).catch(() => {}) }

  with_joints(state) {
    const joints = {}
    for (const joint of this.body.joint) {
      if (joint.dofs === 0) continue
      joints[joint.name] = {}
      joint.dof.forEach((d, k) => { joints[joint.name][d.name] = state.position[joint.first + k] })
    }
    const { x, y, z, roll, pitch, yaw } = state, poses = {} // of control frames, where they were asked for
    this.body.frame.slice(0, state.frames).forEach((f, k) => { poses[f.name] = { position: [x[k], y[k], z[k]], attitude: [roll[k], pitch[k], yaw[k]] } })
    return { ...state, x: state.pose[0], y: state.pose[1], theta: state.attitude[2], joints, poses }
  }

  // { time, x, y, theta, joints: { head: { pan } }, pose, attitude, twist, spin, panic, moving, voltage, charge, … }
  async state(more = 0) { return this.with_joints(await this.query("state", { more })) }

  // broadcast(0.05, state => …)
  broadcast(period, f, more = 0, failed) { return this.again("broadcast", () => ({ period, more }), state => f(this.with_joints(state)), failed) }

  readings_of(reply) {
    const out = {}
    let at = 0
    reply.sensor.forEach((n, k) => {
      const sensor = this.body.sensor[n], count = reply.values[k]
      out[sensor?.name ?? n] = { number: reply.number[k], time: reply.time[k], values: reply.value.slice(at, at + count) }
      at += count
    })
    return out
  }

  sensors_of(names) { return mask_of((names ?? this.body.sensor.map(s => s.name)).map(n => this.find("sensor", n).number)) }

  // { sonar: { number, time, values }, … }
  async sense(names) { return this.readings_of(await this.query("sense", this.sensors_of(names))) }

  // watch(["sonar"], 0.1, readings => …): whenever one of them is new, at most once a period
  watch(names, period, f, failed) {
    return this.again("watch", () => ({ period, ...this.sensors_of(names) }), reply => f(this.readings_of(reply)), failed)
  }

  // ---- pictures: { number, time, width, height, bytes, blob() } ----

  look(name, camera, { rate = 0, width = 0, height = 0, quality = 80, window = 65536, after = 0 } = {}, f) {
    let bytes, acknowledged = 0
    const values = { camera: this.find("camera", camera).number, format: 1, quality, width, height, after, window,
      period: rate > 0 ? 1 / rate : 0.001 }
    const answer = this.query(name, values, (piece, one) => {
      if (piece.offset === 0) bytes = new Uint8Array(piece.size)
      bytes?.set(piece.bytes, piece.offset)
      one.pieces = (one.pieces ?? 0) + piece.count
      if (one.pieces - acknowledged >= window / 4) this.acknowledge(answer.id, acknowledged = one.pieces)
      const whole = piece.offset + piece.count === piece.size
      if (whole) {
        const { number, time, width, height } = piece, data = bytes
        f({ number, time, width, height, bytes: data, blob: () => new Blob([data], { type: "image/jpeg" }) })
      }
      return name === "view" || !whole
    })
    return answer
  }

  picture(camera, options) { return new Promise((done, lose) => this.look("picture", camera, options, done).catch(lose)) }

  // view("camera", { rate: 10, width: 320 }, picture => …, error => …)
  view(camera, options, f, failed) { return this.stream(() => this.look("view", camera, options, f), failed) }

  // ---- further sessions ----

  // session({ mode: "playback", duration: 6 }) is a tape: tape.frame(parts, 0.1) …, await tape.finish()
  async session(options = {}) {
    const other = new Robot()
    Object.assign(other, { body: this.body, revision: this.revision })
    await other.join(this.link, this.name, options)
    return other
  }

  // No frame follows: how the sequence was played, when all its commands have their results.
  async finish() {
    this.flush()
    const mine = [...this.link.waiting.values()].filter(one => one.session === this && !one.rows)
    const ends = mine.map(one => new Promise(end => {
      const { done } = one
      one.done = result => {
        done(result)
        end(result)
      }
    }))
    await this.query("finish")
    await Promise.all(ends)
    const status = await this.query("status")
    return { ...status, succeeded: status.succeeded + this.succeeded } // those that were not sent, and the others
  }

  async close() {
    this.reconnects = null
    await this.query("close").catch(() => {})
    this.link.sessions.delete(this.number)
    if (this.link.sessions.size === 0) this.link.close()
  }
}

// connect("pioneer2"): a robot of the server that this file is from, "" its first. options: url, of another server's WebSocket; name, for
// people; role: 1 watch, 2 drive, 3 operate; reconnect: also after the link was lost; and those of session().
export async function connect(robot = "", options = {}) {
  const one = new Robot()
  await one.begin(robot, options)
  one.reconnects = options.reconnect ? { ...options, lease: one.link.lease } : null
  return one
}

// The names of the server's robots.
export async function robots(options = {}) {
  const link = await Link.open(options), out = []
  try {
    for (let index = 0; index < link.server.robots; index++) out.push((await link.query("robot", { index })).name)
  } finally {
    link.close()
  }
  return out
}
