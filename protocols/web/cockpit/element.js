// Elements of the page: el("button", { class: "stop", onclick: f }, "Stop", …). Names with a dash and `role` are attributes, the rest properties.
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value
    else if (name in made && !name.includes("-")) made[name] = value
    else made.setAttribute(name, value)
  }
  made.append(...children.filter(c => c !== null && c !== undefined))
  return made
}

// A part of the page under a heading.
export function panel(title, ...children) {
  const id = `panel-${title.toLowerCase().replaceAll(" ", "-")}`
  return el("section", { class: "panel", id, "aria-label": title }, el("h2", {}, title), ...children)
}

// Sets a text only where it has changed, which costs a comparison instead of a layout.
export function put(node, text) { if (node.textContent !== text) node.textContent = text }

export const number = (x, digits = 2) => x === null || x === undefined ? "–" : x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1")

// A dof's value for people: degrees of revolute ones, else metres.
export const DEGREE = Math.PI / 180
export const angle = (x, digits = 0) => number(x / DEGREE, digits) + "°"
export const value_of = (dof, x) => dof.kind === 0 ? angle(x) : number(x, 3) + " m"

// Whether keys go into a text that is being written.
export const writes = target => target.matches?.("input:not([type=range]), textarea") ?? false

// The number in a field; undefined, which is said: there is none.
export function number_in(op, input) {
  if (Number.isFinite(input.valueAsNumber)) return input.valueAsNumber
  op.say(`not sent: ${input.ariaLabel} is no number`, "bad")
}

// Shows whether something is too old to be driven by.
export function fade(node, old) { node.classList.toggle("old", old) }
export const ages = age => !Number.isFinite(age) ? "no link" : age < 0.5 ? "" : age < 60 ? `${number(age, 1)} s old` : "over a minute old"
