// The cockpit of a robot, /cockpit/ROBOT: it builds itself from the robot's description.
import { el, put, fade } from "./element.js"
import { Operator, GREY } from "./operator.js"
import { stops } from "./stops.js"
import { leases } from "./leases.js"
import { pad } from "./pad.js"
import { sliders } from "./sliders.js"
import { camera } from "./camera.js"
import { state, readings } from "./readings.js"
import { log } from "./log.js"
import { frames } from "./frames.js"
import { plot } from "./plot.js"
import { widgets } from "./widgets.js"
import { line } from "./line.js"
import { gamepad } from "./gamepad.js"
import { scene } from "./scene.js"
import { episodes } from "./episodes.js"

const op = new Operator(decodeURIComponent(location.pathname.split("/").pop()))
const page = document.querySelector("main"), title = el("h1", {}, op.name), model = el("p", { class: "model" }), link = el("p", { class: "link", role: "status" })
const log_panel = log(op), DRIVES = "#panel-drive, #panel-controls, #panel-joints, #panel-control-frames, #panel-episodes"

document.title = `${op.name} – robotalk`
page.replaceChildren(el("header", {}, el("div", { class: "title" }, title, model, link), stops(op)), el("div", { class: "panels" }, log_panel))
op.on("body", body => {
  put(model, body.model)
  const columns = [
    [...body.camera.map(c => camera(op, body, c)), episodes(op), line(op, body), log_panel],
    [pad(op, body), widgets(op, body), leases(op), sliders(op, body), frames(op, body)],
    [state(op, body), plot(op, body), readings(op, body)],
  ]
  page.querySelector(".panels").replaceChildren(...columns.map(column => column.filter(Boolean))
    .filter(column => column.length > 0).map(column => el("div", { class: "column" }, ...column)))
  scene(op, body).then(view => view && page.querySelector("#panel-command").before(view))
})
op.on("tick", () => {
  const age = op.age(op.state?.time)
  fade(document.body, age > GREY)
  const watches = op.robot !== undefined && !op.may_drive()
  for (const part of page.querySelectorAll(DRIVES)) part.inert = watches
  put(link, op.refused ? `refused: ${op.refused}` : !op.robot ? "no link: trying again" : age > GREY ? "the view is frozen"
    : watches ? "you may watch and stop" : "")
})
gamepad(op)
op.run()
