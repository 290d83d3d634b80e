// Controls that act as long as they are held: a release stops, and so do a window that is left, a view that freezes, and whatever takes the robot away.
const AGAIN = 100, GOALS = 50 // ms between two commands of what is held; between two goals
const ENDS = ["stop", "panicked", "latched", "lease_lost"] // "stop": of this page, which latches nothing here

// Calls f when all that is held is let go, however it is held.
export function when_all_let_go(op, f) {
  addEventListener("blur", () => f())
  document.addEventListener("visibilitychange", () => document.hidden && f())
  for (const what of ENDS) op.on(what, notice => notice?.holds !== 0 && f())
}

// The goals of what is dragged: the newest one goes out, and none of a drag that something has ended; rest() then stops what moves by itself.
export class Goal {
  sent = -Infinity // ms, when the last one was
  held = false     // by a pointer
  over = false

  constructor(op, node, give) {
    const press = held => () => { this.held = held, this.over = false }
    node.addEventListener("pointerdown", press(true))
    for (const what of ["pointerup", "pointercancel", "lostpointercapture"]) node.addEventListener(what, press(false))
    when_all_let_go(op, () => this.end())
    this.give = give
  }

  set(goal) {
    if (this.over) return
    this.newest = goal
    this.due ??= setTimeout(() => {
      this.due = undefined
      this.sent = performance.now()
      this.give(this.newest)
    }, this.sent + GOALS - performance.now())
  }

  end() {
    this.rest?.()
    this.over = this.held
    this.due = clearTimeout(this.due)
    this.newest = undefined
  }
}

export class Hold {
  held = new Map() // a direction of each key, pointer, stick
  moves = false

  // give(direction): the command; the directions are summed up, each number at most 1. rest(): the one that stops.
  constructor(op, axes, give, rest) {
    Object.assign(this, { op, axes, give, rest })
    setInterval(() => (this.held.size > 0 || this.moves) && this.send(true), AGAIN)
    when_all_let_go(op, () => this.let_all_go())
  }

  sum() {
    const sum = Array(this.axes).fill(0)
    for (const way of this.held.values()) way.forEach((v, k) => { sum[k] += v })
    return sum.map(v => Math.max(-1, Math.min(1, v)))
  }

  send(again) {
    this.show?.(this.sum(), this.held.size > 0)
    if (this.held.size > 0 && this.op.live()) {
      this.moves = true
      this.op.drive(robot => this.give(robot, this.sum()))
    } else if (this.moves) { // also by a view that has frozen: a stop is never refused
      this.moves = false
      if (this.op.robot) this.rest(this.op.robot)
    } else if (this.held.size > 0 && !again) {
      this.op.drive(() => {}) // says why not
    }
  }

  hold(what, way) {
    const known = this.held.has(what)
    this.held.set(what, way)
    if (!known) this.send() // what changes goes out with the next one
  }

  // Changes the direction of a control that is still held.
  turn(what, way) { if (this.held.has(what)) this.held.set(what, way) }

  let_go(what) { if (this.held.delete(what)) this.send() }

  let_all_go() {
    this.held.clear()
    this.send(true)
  }

  // A button that is held with the pointer, or with Enter.
  button(make, label, name, way) {
    const stop = () => this.let_go(name), enter = f => event => event.key === "Enter" && !event.repeat && f()
    return make("button", { type: "button", class: "held", "aria-label": name, onpointerdown: event => {
      event.target.setPointerCapture(event.pointerId)
      this.hold(name, way)
    }, onpointerup: stop, onpointercancel: stop, onlostpointercapture: stop, oncontextmenu: event => event.preventDefault(),
    onkeydown: enter(() => this.hold(name, way)), onkeyup: enter(stop), onblur: stop }, label)
  }
}
