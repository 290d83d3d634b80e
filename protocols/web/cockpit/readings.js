// The robot's state and the newest reading of each sensor, with their ages.
import { el, panel, put, fade, ages, angle, number } from "./element.js"
import { GREY } from "./operator.js"

const MOST = 6 // values that are shown in a row; of more the least and the greatest

function text_of(values) {
  if (values.length === 0) return "none"
  if (values.length <= MOST) return values.map(v => number(v)).join("  ")
  const known = values.filter(v => v !== null)
  return `${number(Math.min(...known))} … ${number(Math.max(...known))} (${values.length})`
}

function table(head, rows) {
  return el("div", { class: "scrolls", tabIndex: 0, role: "region", "aria-label": head[0] }, el("table", {}, el("thead", {}, el("tr", {}, ...head.map(h =>
    el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows)))
}
const row = (name, ...cells) => el("tr", {}, el("th", { scope: "row" }, name), ...cells)

export function state(op, body) {
  const drives = body.base_speed.some(v => v > 0)
  const cells = {}, names = ["State", ...(drives ? ["Pose", "Speed"] : []), ...(body.battery > 0 ? ["Battery"] : []), "Override", "Link"]
  const list = el("dl", {}, ...names.flatMap(name => [el("dt", {}, name), cells[name] = el("dd")]))
  const node = panel("State", list)
  let blocked = "", fallen = false
  op.on("blocked", notice => { blocked = notice.name })
  op.on("fallen", notice => { fallen = notice.lies === 1 })
  op.on("state", s => {
    put(cells.State, s.panic ? "in panic" : fallen ? "has fallen" : (s.moving ? "moves" : "stands") + (blocked ? `, blocked by ${blocked}` : ""))
    if (cells.Pose) put(cells.Pose, `${number(s.x)} m, ${number(s.y)} m, ${angle(s.theta - 2 * Math.PI * Math.round(s.theta / (2 * Math.PI)))}`)
    if (cells.Speed) put(cells.Speed, `${number(s.twist[0])} m/s, ${number(s.twist[1])} m/s, ${angle(s.spin[2])}/s`)
    if (cells.Battery) put(cells.Battery, `${number(100 * s.charge, 0)} %, ${number(s.voltage, 1)} V`)
    put(cells.Override, `${number(100 * s.override, 0)} %`)
  })
  op.on("tick", () => {
    const age = op.age(op.state?.time)
    fade(node, age > GREY)
    put(cells.Link, age > GREY ? ages(age) : `${number(1000 * op.robot.round_trip, 0)} ms there and back`)
  })
  return node
}

export function readings(op, body) {
  if (body.sensor.length === 0) return null
  const rows = body.sensor.map(sensor => {
    const value = el("td", { class: "number" }), age = el("td", { class: "number" }), node = row(sensor.name, value, age)
    node.title = sensor.kind
    op.on("tick", () => {
      const reading = op.readings[sensor.name], old = op.age(reading?.time)
      put(value, reading?.number > 0 ? `${text_of(reading.values)} ${sensor.unit}` : "–")
      put(age, reading?.number > 0 ? ages(old) || "now" : "")
      fade(node, old > GREY)
    })
    return node
  })
  return panel("Readings", table(["sensor", "values", "age"], rows))
}
