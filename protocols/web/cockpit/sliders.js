// A slider with its limits for each dof; wheels and others without limits turn while their slider is held.
import { el, panel, put, value_of, DEGREE } from "./element.js"
import { Goal } from "./hold.js"

const HELD = 700 // ms: a slider follows the robot that long after it was let go
const SETPOINT = 1, SPEED = 2

// What a slider gives: a position between limits, or a speed that ends with its release; null: nothing drives that dof.
function range_of(joint, dof) {
  if (dof.mimics > 0) return null
  if (joint.servo & SETPOINT && dof.low < dof.high) return { low: dof.low, high: dof.high, holds: true }
  if (joint.servo & SPEED && dof.speed > 0) return { low: -dof.speed, high: dof.speed, holds: false }
  return null
}

export function slider(op, joint, dof, range = range_of(joint, dof), label = dof.name) {
  if (!range) return null
  const shown = el("output"), mark = el("span", { class: "mark", "aria-hidden": "true" })
  const step = range.step || (dof.kind === 0 ? DEGREE : 0.001)
  const input = el("input", { type: "range", min: range.low, max: range.high, step: "any", value: range.holds ? dof.home : 0,
    "aria-label": label === joint.name ? label : `${joint.name} ${label}` })
  let touched = -Infinity
  const goal = new Goal(op, input, x => op.drive(robot => (range.holds ? robot.set_joint : robot.set_joint_speed).call(robot, joint.name, { [dof.name]: x })))
  const give = () => {
    touched = performance.now()
    goal.set(Number(input.value))
  }
  const rest = goal.rest = () => {
    if (range.holds) return
    input.value = 0
    if (goal.newest) op.robot?.set_joint_speed(joint.name, { [dof.name]: 0 })
    goal.newest = 0
  }
  input.oninput = give
  input.onpointerup = input.onpointercancel = input.onblur = input.onkeyup = rest
  input.onkeydown = event => { // steps of a degree or a millimetre, ten with a shift
    const way = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key]
    if (!way || !range.holds) return
    event.preventDefault()
    input.value = Number(input.value) + way * step * (event.shiftKey ? 10 : 1)
    give()
  }
  op.on("state", state => {
    const at = state.position[joint.first + joint.dof.indexOf(dof)], goal = state.aimed?.[dof.number] ? state.goal[dof.number] : at
    put(shown, value_of(dof, at))
    if (range.holds) mark.style.setProperty("--at", Math.max(0, Math.min(1, (at - range.low) / (range.high - range.low))))
    if (range.holds && performance.now() - touched > HELD) input.value = goal
  })
  return el("label", { class: "slider" }, el("span", {}, label), el("span", { class: "track" }, input, mark), shown)
}

export function sliders(op, body) {
  const parts = body.joint.flatMap(joint => {
    if (joint.dofs === 1) return slider(op, joint, joint.dof[0], range_of(joint, joint.dof[0]), joint.name) ?? []
    const rows = joint.dof.map(dof => slider(op, joint, dof)).filter(Boolean)
    return rows.length > 0 ? el("fieldset", {}, el("legend", {}, joint.name), ...rows) : []
  })
  const many = parts.length > 8
  return parts.length > 0 ? panel("Joints", many ? el("details", {}, el("summary", {}, `${body.dof.length} dofs`), ...parts) : "", ...many ? [] : parts) : null
}
