// Control frames, a hand or a foot: moved along and about the axes of the root link while a button is held, or sent to a place.
import { el, panel, put, number, number_in, angle } from "./element.js"
import { Hold } from "./hold.js"

const SETPOINT = 1, SPEED = 2, SLOW = 0.25 // of its greatest speed
const WAYS = [["x", "forward", "back"], ["y", "left", "right"], ["z", "up", "down"], ["roll", "roll left", "roll right"], ["pitch", "nose down", "nose up"],
  ["yaw", "turn left", "turn right"]]

export function frames(op, body) {
  const driven = body.frame.filter(f => f.servo & (SPEED | SETPOINT))
  if (driven.length === 0) return null
  return panel("Control frames", ...driven.map(frame => {
    const said = el("output"), reach = el("p", { class: "bad", role: "status" })
    const most = (frame.speed || 0.2) * SLOW, turn = (frame.turn || 1) * SLOW, zero = [0, 0, 0]
    const hold = new Hold(op, 6, (robot, way) => robot.set_frame_speed(frame.name, { linear: way.slice(0, 3).map(v => v * most), angular: way.slice(3).map(v => v * turn) }),
      robot => robot.set_frame_speed(frame.name, { linear: zero, angular: zero }))
    const rows = frame.servo & SPEED ? WAYS.map(([name, plus, minus], k) => {
      const way = v => WAYS.map((_, i) => i === k ? v : 0)
      return el("div", { class: "way" }, hold.button(el, "−", `${frame.name} ${minus}`, way(-1)), el("span", {}, name), hold.button(el, "+", `${frame.name} ${plus}`, way(1)))
    }) : []
    const places = ["x", "y", "z"].map(name => el("input", { type: "number", step: 0.01, "aria-label": `${frame.name} ${name}, m` }))
    const go = async () => {
      const position = places.map(place => number_in(op, place))
      put(reach, "")
      if (position.includes(undefined)) return
      const answer = await op.drive(robot => robot.set_frame(frame.name, { free: 1, position, attitude: zero }))
      if (answer?.position_error > 0.001) put(reach, `out of reach: it ended ${number(100 * answer.position_error, 1)} cm away`)
    }
    let known = false
    op.on("state", s => {
      const pose = s.poses[frame.name]
      if (!pose) return
      put(said, `${pose.position.map(v => number(v, 3)).join("  ")} m;  ${pose.attitude.map(v => angle(v)).join("  ")}`)
      if (!known) places.forEach((place, i) => { place.value = pose.position[i].toFixed(2) })
      known = true
    })
    return el("details", { open: driven.length === 1 }, el("summary", {}, frame.name), el("p", {}, said), el("div", { class: "ways" }, ...rows),
      frame.servo & SETPOINT ? el("div", { class: "row" }, ...places, el("button", { type: "button", onclick: go }, "Go")) : null, reach)
  }))
}
