// What was said: answers of the robot, notices of others, newest first.
import { el, panel, put } from "./element.js"

const KEPT = 200

export function log(op) {
  const list = el("ol")
  let last, times = 1
  op.on("say", (text, kind) => {
    if (last?.text === text && list.firstChild) return put(list.firstChild.lastChild, `  ×${++times}`)
    last = { text }
    times = 1
    list.prepend(el("li", { class: kind }, el("time", {}, new Date().toTimeString().slice(0, 8)), ` ${text}`, el("span")))
    while (list.children.length > KEPT) list.lastChild.remove()
  })
  op.on("blocked", notice => notice.name && op.say(`blocked by ${notice.name}`, "bad"))
  op.on("fallen", notice => op.say(notice.lies ? "it has fallen" : "it is upright", notice.lies ? "bad" : ""))
  op.on("override", notice => op.say(`override ${Math.round(100 * notice.share)} %`))
  op.on("shutdown", () => op.say("the server ends", "bad"))
  op.on("removed", () => op.say("the robot was removed", "bad"))
  return panel("Log", el("div", { class: "log", role: "log", tabIndex: 0, "aria-label": "log" }, list))
}
