// The controls that a robot's description asks for, but those that the other panels already have.
import { el, panel, put, number_in, value_of } from "./element.js"
import { slider } from "./sliders.js"

const KINDS = ["slider", "knob", "number", "button", "pad", "label"], NONE = 65535

function of_dof(op, widget, joint, dof) {
  const kind = KINDS[widget.kind], range = widget.low < widget.high ? { low: widget.low, high: widget.high, step: widget.step } : dof
  const speed = widget.command === "set_joint_speed"
  if (kind === "label") {
    const shown = el("output")
    op.on("state", state => put(shown, value_of(dof, state.position[dof.number])))
    return el("p", {}, `${widget.name}: `, shown)
  }
  if (kind === "number") {
    const input = el("input", { type: "number", min: range.low, max: range.high, step: widget.step || "any", value: dof.home, ariaLabel: widget.name })
    const set = () => {
      const value = number_in(op, input)
      if (value !== undefined) op.drive(robot => (speed ? robot.set_joint_speed : robot.set_joint).call(robot, joint.name, { [dof.name]: value }))
    }
    return el("label", { class: "row" }, `${widget.name} `, input, el("button", { type: "button", onclick: set }, "Set"))
  }
  const { low, high, step } = range
  return slider(op, joint, dof, { low: speed && low >= high ? -dof.speed : low, high: speed && low >= high ? dof.speed : high, step, holds: !speed }, widget.name)
}

export function widgets(op, body) {
  const shown = body.widget.map(widget => {
    const kind = KINDS[widget.kind], joint = widget.joint === NONE ? null : body.joint[widget.joint], dof = joint?.dof[widget.dof]
    if (kind === "button" && widget.command !== "stop") // Stop is at the top
      return el("button", { type: "button", onclick: () => op.drive(robot => dof ? robot.set_joint(joint.name, { [dof.name]: dof.home })
        : robot.command(widget.command)) }, widget.name)
    const same = !(widget.low < widget.high) || (dof && widget.low === dof.low && widget.high === dof.high)
    const as_elsewhere = kind === "pad" || (["slider", "knob"].includes(kind) && widget.command === "set_joint" && same)
    return dof && !as_elsewhere ? of_dof(op, widget, joint, dof) : null
  }).filter(Boolean)
  return shown.length > 0 ? panel("Controls", el("div", { class: "row" }, ...shown)) : null
}
