// Episodes for a data set, where the server records them of this robot: begun, kept, dropped.
import { el, number, panel, put } from "./element.js"

const LOOK = 1000 // ms between two looks
const NONE = 0, BEGIN = 1, KEEP = 2, DROP = 3

export function episodes(op) {
  const text = el("p", { role: "status" }), task = el("input", { type: "text", ariaLabel: "task of the next episode",
    placeholder: "task; empty: as before", maxLength: 159 })
  let looks = false

  const show = async asked => {
    const { recording, length, robot, episodes, frames, note } = await asked
    place.hidden = robot !== op.name
    put(text, `${recording === 1 ? `Recording, ${number(length, 1)} s` : recording === 2 ? "Writing" : "Not recording"}; `
      + `${episodes} episode${episodes === 1 ? "" : "s"}, ${frames} frames${note && `; ${note}`}`)
    begin.disabled = task.disabled = recording !== 0
    keep.disabled = again.disabled = drop.disabled = recording !== 1
  }
  const ask = (action, words = "") => op.robot.query("episode", { action, task: words })
  const look = async () => { // a server that has none is not asked again
    if (looks && op.robot && !document.hidden) await show(ask(NONE)).catch(() => { looks = false })
  }
  const press = (name, ...actions) => el("button", { type: "button", onclick: async () => {
    for (const one of [begin, keep, again, drop]) one.disabled = true // one after the other
    await op.ask(async () => {
      for (const action of actions) await show(ask(action, action === BEGIN ? task.value.trim() : ""))
    })
    look()
  } }, name)
  const begin = press("Begin", BEGIN), keep = press("Keep", KEEP), again = press("Again", DROP, BEGIN), drop = press("Drop", DROP)
  const place = panel("Episodes", text, task, el("div", { class: "row" }, begin, keep, again, drop))

  place.hidden = true
  op.on("link", there => {
    looks = there
    look()
  })
  setInterval(look, LOOK)
  return place
}
