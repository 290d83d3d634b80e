// Panic, stop, resume and reset: the buttons, their keys, and who pressed them.
import { el, put, writes } from "./element.js"

export function stops(op) {
  const worker = new Worker(new URL("panic.js", import.meta.url), { type: "module" })
  worker.postMessage({ robot: op.name, lease: op.lease })
  let own = false, up = false, press = "", by = "", mine = false // the newest stop is, and nothing was given since

  const panic = () => {
    own = true
    worker.postMessage("panic")
    if (!up && op.robot) op.ask(robot => robot.panic())
  }
  op.panic = panic
  const stop = async () => {
    op.emit("stop") // what is held is let go, and drives no more
    mine = op.robot !== undefined
    const answer = await op.ask(robot => robot.stop())
    if (answer) op.say(answer.ok ? "stopped by you" : `stop: ${answer.signal}, ${answer.why ?? answer.reason}`, answer.ok ? "" : "bad")
  }
  const resume = async (all = !latched) => {
    const answer = await op.ask(robot => robot.resume({ all, stop: Math.max(robot.latch?.stop ?? 0, ...others.map(one => one.stop)) }))
    if (answer) mine = false
    op.ask(show_latches)
  }
  const reset = () => {
    if (op.panicked || press) worker.postMessage("reset")
    own &&= press !== "waits"
    return (op.robot || !press) && op.ask(robot => robot.reset())
  }
  op.acts = { stop, resume: () => resume(), reset }

  // over the button lies what a busy page does not hold up; until it is ready, and for keys, there is the button
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ port: port1 }, [port1])
  const surface = el("iframe", { src: new URL("surface.html", import.meta.url), sandbox: "allow-scripts", hidden: true, tabIndex: -1, "aria-hidden": "true",
    title: "panic", onload: () => surface.contentWindow.postMessage("", "*", [port2]) })
  addEventListener("message", ({ source, data }) => {
    if (source !== surface.contentWindow) return
    if (data === "ready") surface.hidden = false
    else own = true
  })
  const big = el("button", { class: "panic", type: "button", onpointerdown: panic, onclick: e => e.detail === 0 && panic() },
    el("strong", {}, "PANIC"), el("small", {}, "space bar"))
  const said = el("p", { class: "said", role: "status" }), asked = op.asked = el("div", { class: "asked", role: "alert" })
  const buttons = {
    stop: el("button", { class: "stop", type: "button", onclick: stop }, "Stop ", el("kbd", {}, "Esc")),
    resume: el("button", { type: "button", onclick: () => resume() }, "Resume ", el("kbd", {}, "G")),
    all: el("button", { type: "button", onclick: () => resume(true) }, "Resume all"),
    reset: el("button", { type: "button", onclick: reset }, "Reset ", el("kbd", {}, "R")),
  }
  const node = el("div", { class: "stops" }, el("div", { class: "says" }, said, asked), el("div", { class: "big" }, big, surface),
    el("div", { class: "row" }, ...Object.values(buttons)))

  // ---- who ----

  let latched = null, others = []
  async function show_latches(robot) {
    const all = await robot.latches()
    others = all.filter(one => !one.own)
  }
  op.on("latched", notice => {
    latched = notice.holds ? notice : null
    if (latched) op.say(`stopped by ${notice.name || "the server's program"}: G resumes`, "bad")
    op.ask(show_latches)
  })
  op.on("drive", () => { mine = false })
  op.on("stopped", () => op.ask(show_latches))
  op.on("panicked", ({ name }) => {
    by = own ? "you" : name || "the robot itself, or the server's program"
    op.say(`panic by ${by}: R resets`, "bad")
  })
  op.on("reset", ({ name }) => {
    own = false
    op.say(`the panic was reset${name && ` by ${name}`}`)
  })
  op.on("deadman", notice => op.say(`stopped: nothing was heard from this page for ${notice.silence.toFixed(1)} s`, "bad"))
  op.on("link", there => {
    latched = null
    if (there) op.ask(show_latches)
  })
  worker.onmessage = ({ data }) => {
    ({ up, press } = data)
    own &&= press !== "withdrawn"
  }

  op.on("tick", () => {
    const names = others.map(one => one.name).join(", ")
    put(said, press === "waits" ? `PANIC is ${up ? "sent until the server acknowledges it" : "sent as soon as there is a link"}: R takes it back`
      : press ? "PANIC was not sent: the robot was in panic and was reset while there was no link (R clears this)"
      : op.panicked ? `In panic, by ${by || "another client"}` : latched ? `Stopped by ${latched.name || "the server's program"}`
      : mine ? `Stopped by you${names && `; G resumes ${names}`}` : others.length > 0 ? `A stop holds ${names}; G ends it`
      : up ? "" : "The panic button has no link: it acts as soon as it has")
    said.classList.toggle("bad", op.panicked || press !== "" || latched !== null)
    buttons.resume.disabled = latched === null && others.length === 0
    buttons.all.disabled = others.length === 0
    buttons.reset.disabled = !op.panicked && !press
    node.classList.toggle("panicked", op.panicked)
  })

  const keys = { g: () => resume(), r: () => (op.panicked || press) && reset() }
  addEventListener("keydown", event => {
    if (event.key === "Escape" && !event.repeat) stop()
    if (writes(event.target)) return
    if (event.key === " ") {
      event.preventDefault() // no button and no scrolling
      if (!event.repeat) panic()
    } else if (!event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey) {
      keys[event.key.toLowerCase()]?.()
    }
  }, { capture: true })
  addEventListener("keyup", event => {
    if (event.key === " " && !writes(event.target)) event.preventDefault()
  }, { capture: true })
  return node
}
