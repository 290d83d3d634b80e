// A line for commands, as docs/page.md has them: go_to x=1 y=0.5, set_joint head pan=0.4, plot sonar0. Tab completes; nothing is run as code.
import { el, panel } from "./element.js"
import { signals_of } from "./signals.js"

const OF_BASE = { go_to: ["x", "y", "theta", "speed"], set_speed: ["x", "y", "theta"], home: ["speed"], step: ["leg", "x", "y", "theta", "speed"] }
const OF_JOINT = ["set_joint", "set_joint_speed", "set_joint_force"]
const LEASES = ["take", "release"]
const DRIVES = new Set([...Object.keys(OF_BASE), ...OF_JOINT])

// Whether at most n letters more, less, other or swapped make one word of another.
const near = (a, b, n) => n >= 0 && (a === b || (a !== "" && a[0] === b[0] && near(a.slice(1), b.slice(1), n))
  || (a[0] === b[1] && a[1] === b[0] && near(a.slice(2), b.slice(2), n - 1))
  || [[1, 0], [0, 1], [1, 1]].some(([i, k]) => near(a.slice(i), b.slice(k), n - 1)))
const meant = (word, words) => {
  const one = words.find(w => near(word, w, 1)) ?? words.find(w => near(word, w, 2))
  return one ? `; did you mean '${one}'?` : ""
}

export function line(op, body) {
  const input = el("input", { type: "text", "aria-label": "command", autocomplete: "off", spellcheck: false, placeholder: "a command, Tab completes" })
  const hints = el("p", { class: "hints" }), past = []
  let back = 0
  const joints = body.joint.filter(joint => joint.dofs > 0)

  // The words that may stand at the end of these; null: none is known.
  function words_for(words) {
    const [first, second] = words, fields = names => names.filter(n => !words.some(w => w.startsWith(n + "="))).map(n => n + "=")
    if (words.length <= 1) return [...Object.keys(OF_BASE), ...(joints.length > 0 ? OF_JOINT : []), "override", "plot", "help", ...Object.keys(op.acts), ...LEASES]
    if (OF_BASE[first]) return fields(OF_BASE[first])
    if (OF_JOINT.includes(first)) return words.length === 2 ? joints.map(j => j.name) : fields(joints.find(j => j.name === second)?.dof.map(d => d.name) ?? [])
    if (first === "plot" && words.length === 2) return [...signals_of(op, body).keys()]
    return []
  }
  const fitting = () => {
    const words = input.value.trimStart().split(/\s+/), end = words.at(-1)
    return words_for(words).filter(w => w.startsWith(end))
  }
  const hint = () => { hints.textContent = input.value ? fitting().slice(0, 12).join("  ") : "" }
  function complete() {
    const fit = fitting(), end = input.value.split(/\s+/).at(-1)
    if (fit.length === 0) return
    let common = fit[0]
    while (!fit.every(w => w.startsWith(common))) common = common.slice(0, -1)
    input.value = input.value.slice(0, input.value.length - end.length) + common + (fit.length === 1 && !common.endsWith("=") ? " " : "")
    hint()
  }
  const values_of = words => Object.fromEntries(words.map(word => {
    const [, name, value] = /^(\w+)=(.+)$/.exec(word) ?? [], x = Number(value)
    if (name === undefined || !Number.isFinite(x)) throw new Error(`expected NAME=NUMBER, got '${word}'`)
    return [name, x]
  }))

  async function run(text) {
    const [first, ...rest] = text.trim().split(/\s+/)
    op.say(`> ${text}`)
    try {
      const known = (what, word, names) => {
        if (names.includes(word)) return
        throw new Error(word ? `there is no ${what} '${word}'${meant(word, names)}` : `expected a ${what}: ${names.slice(0, 8).join(", ")}`)
      }
      if (first === "help") return op.say(words_for([""]).join("  "))
      if (first === "plot") {
        known("signal", rest[0], [...signals_of(op, body).keys()])
        return op.plot(rest[0])
      }
      if (first === "override") return void await op.ask(robot => robot.override(Number(rest[0])))
      if (op.acts[first]) return void op.acts[first]()
      if (LEASES.includes(first)) return void await op.ask(robot => robot[first]())
      if (!DRIVES.has(first)) throw new Error(`there is no command '${first}'${meant(first, words_for([first])) || "; help lists them"}`)
      if (OF_JOINT.includes(first)) known("joint", rest[0], joints.map(j => j.name))
      const [joint, ...values] = OF_JOINT.includes(first) ? rest : [null, ...rest], given = values_of(values)
      const wrong = joint === null && Object.keys(given).find(name => !OF_BASE[first].includes(name))
      if (wrong) throw new Error(`${first} has no '${wrong}': it has ${OF_BASE[first].join(", ")}`)
      const answer = await op.drive(robot => joint === null ? robot.command(first, given) : robot[first](joint, given))
      if (answer?.ok) op.say(`${first}: ${answer.signal}${answer.reason === "none" ? "" : `, ${answer.reason}`}`)
    } catch (error) {
      op.say(error.message, "bad")
    }
  }
  input.oninput = hint
  input.onkeydown = event => {
    if (event.key === "Tab" && !event.shiftKey && input.value && fitting().length > 0 && fitting()[0] !== input.value.split(/\s+/).at(-1)) {
      event.preventDefault()
      complete()
    } else if (event.key === "Enter" && input.value.trim()) {
      past.unshift(input.value)
      run(input.value)
      input.value = ""
      back = 0
      hint()
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault()
      back = Math.max(0, Math.min(past.length, back + (event.key === "ArrowUp" ? 1 : -1)))
      input.value = back > 0 ? past[back - 1] : ""
    } else if (event.key === "Escape") {
      input.blur()
    }
  }
  return panel("Command", input, hints)
}
