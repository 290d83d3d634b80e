// Who drives: asked for, given, taken, released. The question of another client is beside the panic button, always in sight.
import { el, panel, put, writes } from "./element.js"

const LOOK = 1000 // ms between two looks at the holders

export function leases(op) {
  const list = el("p", { class: "holders" }, "–"), left = el("span", { "aria-hidden": "true" }), { asked } = op
  let waits = false, asks = null

  const name_of = one => one.own ? "you" : `${one.name || "the server's program"} ${one.holder}`
  const look = async () => {
    if (!op.robot || document.hidden) return
    const holders = await op.ask(robot => robot.holders())
    if (!holders) return
    op.holders = holders
    put(list, holders.length === 0 ? "Nobody drives" : `Driven by ${holders.map(name_of).join(", ")}`)
    release.disabled = !holders.some(one => one.own)
    take.disabled = waits || !holders.some(one => !one.own)
  }
  const ask = async () => {
    if (waits) return
    waits = take.disabled = true
    op.say("asked for the robot")
    const given = await op.ask(robot => robot.take())
    waits = false
    if (given !== undefined) op.say(given ? "the robot is yours" : "the robot was not given", given ? "" : "bad")
    look()
  }
  const answer = async yes => {
    const { holder } = asks
    asks = null
    asked.replaceChildren()
    await op.ask(robot => robot.give_lease(holder, yes).catch(error => {
      throw error.code === "ENONE" ? new Error("too late: the silence was a yes") : error
    }))
    look()
  }

  const take = el("button", { type: "button", onclick: ask, disabled: true }, "Ask for it ", el("kbd", {}, "T"))
  const release = el("button", { type: "button", disabled: true, onclick: () => op.ask(robot => robot.release()).then(look) }, "Release")
  op.on("asked", notice => {
    asks = notice
    op.say(`${notice.name} ${notice.holder} asks for the robot`)
    asked.replaceChildren(el("p", {}, `${notice.name} ${notice.holder} asks for the robot; silence is a yes `, left), el("div", { class: "row" },
      el("button", { type: "button", onclick: () => answer(true) }, "Give ", el("kbd", {}, "Y")),
      el("button", { type: "button", onclick: () => answer(false) }, "Keep ", el("kbd", {}, "N"))))
  })
  op.on("tick", () => {
    const age = asks ? op.age(asks.due) : 0
    put(left, `in ${Math.ceil(-age)} s`)
    if (!asks || age < 0) return
    asks = null
    asked.replaceChildren()
  })
  op.on("lease_lost", notice => op.say(`${notice.name} ${notice.holder} drives now`, "bad"))
  op.on("held", notice => op.say(`${notice.name || "the server's program"} ${notice.holder} drives: T asks for it`, "bad"))
  for (const what of ["leases", "lease_lost", "answered", "held"]) op.on(what, look)
  op.on("link", there => there ? look() : put(list, "–"))
  setInterval(look, LOOK)
  addEventListener("keydown", event => {
    if (writes(event.target) || event.repeat || event.ctrlKey || event.metaKey) return
    if (event.key === "t") ask()
    else if (asks && (event.key === "y" || event.key === "n")) answer(event.key === "y")
  })
  return panel("Who drives", list, el("div", { class: "row" }, take, release))
}
