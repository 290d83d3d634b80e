// The operator's connection to one robot. It comes back by itself, and carries motions only while the page shows what the robot does: each
// package has the instant of the state that was on the screen when it was made, and the server refuses those of an old one.
import { connect } from "/robotalk.js"
import { NOTICES } from "/robotalk/wire.js"

// s of age: what is grey; a view that this page does not drive by; one that the server does not either, as the command travels, too.
export const GREY = 0.5, FROZEN = 1
const EXPIRY = 1.5, DEAD = 5, STATES = 0.05, READINGS = 0.1, RETRY = 1, TICK = 0.25, GOALS = 4, FRAMES = 2
const pause = s => new Promise(later => setTimeout(later, s * 1000))

export class Operator {
  handlers = {}
  readings = {}
  panicked = false
  rewound = new Set() // cameras whose old pictures are looked at
  lease = crypto.getRandomValues(new BigUint64Array(1))[0] // one client, also after the link was lost

  constructor(name, who = "cockpit") {
    Object.assign(this, { name, who })
  }

  // "body", once; "state", when a new one goes on the screen; "tick"; "link"; "drive", as a motion is given; "say"; and notices by their names.
  on(what, f) {
    (this.handlers[what] ??= []).push(f)
    return this
  }

  emit(what, ...values) { for (const f of this.handlers[what] ?? []) f(...values) }
  say(text, kind = "") { this.emit("say", text, kind) }

  // Connects, again and again.
  async run() {
    this.paint()
    setInterval(() => this.tick(), TICK * 1000)
    for (;;) {
      try {
        await this.begin()
        throw await this.lost
      } catch (error) {
        this.say(`no link: ${error.message}`, "bad")
        this.refused = error.refused && error.message // and is not asked again
      }
      this.end()
      if (this.refused) return
      await pause(RETRY)
    }
  }

  async begin() {
    const robot = await connect(this.name, { name: this.who, role: 3, lease: this.lease, expiry: EXPIRY })
    this.lost = new Promise(end => robot.on("lost", notice => notice.holder === undefined ? end(robot.link.why) : this.emit("lease_lost", notice)))
    for (const what in NOTICES) robot.on(what, values => this.emit(what, values))
    robot.on("panicked", () => { this.panicked = true }).on("reset", () => { this.panicked = false })
    robot.on("changed", () => location.reload()) // another body, another page
    this.panicked = robot.panicked
    this.robot = robot
    const known = this.body !== undefined
    this.body = robot.body
    if (!known) this.emit("body", robot.body)
    robot.broadcast(STATES, state => this.take(state), GOALS | (robot.body.frame.length > 0 ? FRAMES : 0))
    if (robot.body.sensor.length > 0) robot.watch(undefined, READINGS, readings => Object.assign(this.readings, readings))
    this.emit("link", true)
    this.say("linked")
  }

  end() {
    this.robot = this.shown = undefined
    this.emit("link", false)
  }

  take(state) {
    this.state = state
    this.panicked = state.panic === 1
    this.is_new = true
  }

  // With each frame that the browser paints: what the last one has put on the screen has been seen now.
  paint() {
    requestAnimationFrame(() => this.paint())
    if (this.robot && this.shown !== undefined) this.robot.seen = this.shown
    if (!this.is_new) return
    this.is_new = false
    this.shown = this.state.time
    this.emit("state", this.state)
  }

  tick() {
    this.emit("tick")
    if (this.robot && this.state && this.age(this.state.time) > DEAD) this.robot.drop(`nothing came for ${DEAD} s`) // such a link does not end by itself
  }

  // s since an instant of the server's clock.
  age(time) { return this.robot && time !== null && time !== undefined ? this.robot.now() - time : Infinity }

  may_drive() { return this.robot.link.server.role > 1 }
  live() { return this.robot !== undefined && this.may_drive() && this.age(this.robot?.seen) < FROZEN && this.rewound.size === 0 }

  // Has the session give a motion: drive(robot => robot.home()). Its answer, or undefined: not given, or refused by what it said.
  async drive(give) {
    if (!this.live()) return this.say(`not sent: ${!this.robot ? "there is no link" : !this.may_drive() ? "you may watch and stop"
      : this.rewound.size > 0 ? "the view is an old one" : "the view is frozen"}`, "bad")
    this.emit("drive")
    try {
      const answer = await give(this.robot)
      if (!answer.ok) this.say(`${answer.command.replaceAll("_", " ")}: ${answer.signal}, ${answer.why ?? answer.reason}`, "bad")
      return answer
    } catch (error) {
      this.say(error.message, "bad")
    }
  }

  // The same of queries.
  async ask(give) {
    if (!this.robot) return this.say("not sent: there is no link", "bad")
    try {
      return await give(this.robot)
    } catch (error) {
      if (error.code !== "ELINK") this.say(error.message, "bad") // the end of the link is said once
    }
  }
}
