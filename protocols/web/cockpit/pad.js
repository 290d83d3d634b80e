// The base: a pad for pointers and fingers, keys, and a gamepad.
import { el, panel, put, writes, angle, number } from "./element.js"
import { Hold } from "./hold.js"

const KEYS = { w: [1, 0, 0], s: [-1, 0, 0], a: [0, 0, 1], d: [0, 0, -1], arrowup: [1, 0, 0], arrowdown: [-1, 0, 0], arrowleft: [0, 0, 1],
  arrowright: [0, 0, -1], q: [1, 0, 1], e: [1, 0, -1], ",": [0, 1, 0], ".": [0, -1, 0] }
const MODIFIERS = new Set(["Control", "Alt", "AltGraph", "Meta"])
const MIDDLE = 0.12, SET_SPEED = 2 ** 2

// The base's greatest speeds, of its widget if it has one; null: this body has none that is driven.
export function base_of(body) {
  const [x, y, theta] = body.base_speed
  if (!(body.commands & SET_SPEED) || x <= 0) return null
  const widget = body.widget.find(w => w.command === "set_speed" && w.high > 0), most = Math.min(x, widget?.high ?? x)
  return { x: most, y: body.holonomic ? Math.min(y || x, most) : 0, theta: theta * Math.min(1, most / x) }
}

export function pad(op, body) {
  const base = base_of(body)
  if (!base) return null
  const share = el("input", { type: "range", min: 5, max: 100, value: 50, "aria-label": "greatest speed, per cent" })
  const said = el("output"), knob = el("span", { class: "knob" })
  const face = el("div", { class: "pad", tabIndex: 0, role: "application", "aria-label":
    "drive: hold the pointer, or the keys W A S D or the arrows" }, knob)
  const hold = new Hold(op, 3, (robot, [x, y, theta]) => {
    const part = share.value / 100
    return robot.set_speed({ x: x * part * base.x, y: y * part * base.y, theta: theta * part * base.theta })
  }, robot => robot.set_speed({ x: 0, y: 0, theta: 0 }))
  hold.show = ([x, , theta], held) => {
    knob.style.transform = `translate(${-42 * theta}%, ${-42 * x}%)`
    face.classList.toggle("held", held)
  }

  const way_of = event => {
    const { left, top, width, height } = face.getBoundingClientRect(), part = v => Math.abs(v) < MIDDLE ? 0 : Math.max(-1, Math.min(1, v))
    return [-part(2 * (event.clientY - top) / height - 1), 0, -part(2 * (event.clientX - left) / width - 1)]
  }
  face.onpointerdown = event => {
    face.setPointerCapture(event.pointerId)
    hold.hold("pointer", way_of(event))
  }
  face.onpointermove = event => { hold.turn("pointer", way_of(event)) }
  face.onpointerup = face.onpointercancel = face.onlostpointercapture = () => hold.let_go("pointer")
  face.oncontextmenu = event => event.preventDefault()

  addEventListener("keydown", event => {
    const key = event.key.toLowerCase(), way = KEYS[key]
    if (MODIFIERS.has(event.key)) hold.let_all_go() // some systems report no release then
    const taken = event.ctrlKey || event.metaKey || event.altKey || writes(event.target) || key.startsWith("arrow") && event.target.matches("input, select")
    if (!taken && (key === "+" || key === "-")) share.value = Number(share.value) + (key === "+" ? 5 : -5)
    if (taken || !way) return
    event.preventDefault()
    if (!event.repeat) hold.hold(event.code, way)
  })
  addEventListener("keyup", event => hold.let_go(event.code)) // with a modifier the same key is another letter

  op.on("state", state => put(said, `${number(state.twist[0])} m/s, ${angle(state.spin[2])}/s`))
  op.pad = hold
  const sides = base.y > 0 ? el("div", { class: "row" }, hold.button(el, "◀ sideways", "left", [0, 1, 0]), hold.button(el, "sideways ▶", "right", [0, -1, 0])) : null
  return panel("Drive", face, sides, el("label", { class: "row" }, "Speed ", share), said)
}
