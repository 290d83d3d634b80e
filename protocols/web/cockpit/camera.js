// The picture of a camera, with its age; dragged, it turns the head that carries it, and the wheel zooms.
import { el, panel, put, fade, ages, number } from "./element.js"
import { GREY } from "./operator.js"
import { Goal } from "./hold.js"

const RATE = 20, WIDTH = 640, KEPT = 60, MOST = 3e7 // pictures a second, pixels; s and bytes of pictures that are kept
const FORGOTTEN = 700                               // ms after a goal of the head, the next one starts from where it is

// The dof of that name on the way from the camera's link to the root: [joint, dof].
export function dof_above(body, link, name) {
  for (let joint; (joint = body.joint.find(j => j.child === link && j.number > 0)); link = joint.parent) {
    const dof = joint.dof.find(d => d.name === name)
    if (dof) return [joint, dof]
  }
  return null
}

export function camera(op, body, which) {
  const canvas = el("canvas", { width: which.width || 320, height: which.height || 240, role: "img", "aria-label": `picture of ${which.name}` })
  const said = el("span", { class: "age" }), pen = canvas.getContext("2d")
  const when = el("input", { type: "range", min: -KEPT, max: 0, step: "any", value: 0, "aria-label": `rewind ${which.name}` })
  const live = el("button", { type: "button", class: "small", hidden: true, onclick: () => rewind(0) }, "Live")
  const node = panel(which.name, el("div", { class: "camera" }, canvas, said), el("label", { class: "row" }, "Rewind ", when, live))
  const kept = [] // pictures of the last minute, and how many bytes they have
  let time = null, between = 1000 / RATE, last = 0, bytes = 0

  const paint = async picture => {
    const image = await createImageBitmap(picture.blob()).catch(() => null)
    if (!image) return
    if (canvas.width !== image.width || canvas.height !== image.height) Object.assign(canvas, { width: image.width, height: image.height })
    pen.drawImage(image, 0, 0)
    image.close()
    time = picture.time
  }
  const take = picture => {
    const now = performance.now()
    if (last) between += 0.1 * (now - last - between)
    last = now
    kept.push(picture)
    bytes += picture.bytes.length
    while (kept[0].time < picture.time - KEPT || bytes > MOST) bytes -= kept.shift().bytes.length
    if (!op.rewound.has(which.name)) paint(picture)
  }
  // s back from now: what is shown then is no view to drive by.
  const rewind = back => {
    when.value = back
    live.hidden = back === 0
    if (back === 0) op.rewound.delete(which.name)
    else op.rewound.add(which.name)
    const due = (kept.at(-1)?.time ?? 0) + back, picture = kept.findLast(p => p.time <= due) ?? kept[0]
    if (picture) paint(picture)
  }
  when.oninput = () => rewind(Number(when.value) > -0.5 ? 0 : Number(when.value))
  op.on("link", there => {
    time = null
    kept.length = bytes = 0 // another clock, perhaps
    rewind(0)
    if (there) op.robot.view(which.name, { rate: RATE, width: WIDTH }, take, error => // the end of the link is said once
      error.code !== "ELINK" && op.say(`${which.name}: ${error.message}`, "bad"))
  })
  op.on("tick", () => {
    const age = op.age(time)
    fade(node, age > GREY)
    put(said, last === 0 ? "no picture yet" : `${ages(age) || `${number(1000 / between, 0)} a second`}`)
  })

  // ---- pan, tilt, zoom ----

  const found = Object.fromEntries(["pan", "tilt", "zoom"].map(name => [name, dof_above(body, which.link, name)]))
  const at = name => op.state.position[found[name][1].number]
  const goal = new Goal(op, canvas, places => {
    for (const [name, place] of Object.entries(places)) op.drive(robot => robot.set_joint(found[name][0].name, { [found[name][1].name]: place }))
  })
  const turn = (name, by) => {
    if (!found[name] || !op.state) return
    const [, dof] = found[name], before = goal.due || performance.now() - goal.sent < FORGOTTEN ? goal.newest : {}
    const place = (before?.[name] ?? at(name)) + by
    goal.set({ ...before, [name]: dof.low < dof.high ? Math.max(dof.low, Math.min(dof.high, place)) : place })
  }
  if (found.pan || found.tilt) {
    canvas.classList.add("drags")
    canvas.title = "drag to look around"
    canvas.onpointerdown = event => canvas.setPointerCapture(event.pointerId)
    canvas.onpointermove = event => {
      if (!canvas.hasPointerCapture(event.pointerId)) return
      const angle = (which.fov || 1) / canvas.clientWidth
      turn("pan", event.movementX * angle)
      turn("tilt", event.movementY * angle)
    }
  }
  if (found.zoom) {
    canvas.addEventListener("wheel", event => {
      const [, dof] = found.zoom
      event.preventDefault()
      turn("zoom", -Math.sign(event.deltaY) * (dof.high - dof.low) / 20)
    }, { passive: false })
  }
  if (found.pan || found.tilt) op.head ??= turn
  return node
}
