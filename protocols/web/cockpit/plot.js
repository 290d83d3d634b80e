// Signals over the last half minute, as curves.
import { el, panel, put, number } from "./element.js"
import { signals_of } from "./signals.js"

const SPAN = 30, EVERY = 0.05, HEIGHT = 160, COLOURS = ["#1a73e8", "#d93025", "#188038", "#a142f4", "#b06000", "#00838f"]

export function plot(op, body) {
  const canvas = el("canvas", { height: HEIGHT, hidden: true, role: "img", "aria-label": "curves of the chosen signals" }), pen = canvas.getContext("2d")
  const choice = el("select", { "aria-label": "signal to plot" }), legend = el("ul", { class: "legend" })
  const curves = []
  let signals = new Map(), last = 0

  const fill = () => {
    signals = signals_of(op, body)
    choice.replaceChildren(el("option", { value: "" }, "Plot a signal …"), ...[...signals.keys()].map(name => el("option", { value: name }, name)))
  }
  function add(name) {
    if (!signals.has(name) || curves.some(c => c.name === name)) return
    const colour = COLOURS.find(c => !curves.some(other => other.colour === c))
    if (!colour) return op.say(`at most ${COLOURS.length} signals are plotted`, "bad")
    const said = el("output"), curve = { name, colour, said, points: [], ...signals.get(name) }
    const swatch = el("span", { class: "swatch" })
    swatch.style.background = colour
    curve.item = el("li", {}, swatch, `${name} `, said, el("button", { type: "button", class: "small", "aria-label": `no longer plot ${name}`, onclick: () => {
      curves.splice(curves.indexOf(curve), 1)
      curve.item.remove()
      canvas.hidden = curves.length === 0
    } }, "×"))
    curves.push(curve)
    canvas.hidden = false
    legend.append(curve.item)
  }
  choice.onfocus = choice.onpointerdown = () => choice.options.length !== signals_of(op, body).size + 1 && fill()
  choice.onchange = () => {
    add(choice.value)
    choice.value = ""
  }

  function draw(now) {
    const scale = devicePixelRatio, width = canvas.clientWidth * scale, height = HEIGHT * scale, all = curves.flatMap(c => c.points.map(p => p[1])), style = getComputedStyle(canvas)
    let low = Math.min(...all, 0), high = Math.max(...all, 0)
    if (high - low < 1e-6) [low, high] = [low - 1, high + 1]
    const x = t => width * (1 - (now - t) / SPAN), y = v => height - (14 + (HEIGHT - 28) * (v - low) / (high - low)) * scale
    if (canvas.width !== Math.round(width) || canvas.height !== Math.round(height)) Object.assign(canvas, { width, height })
    pen.clearRect(0, 0, width, height)
    pen.font = `${12 * scale}px system-ui`
    pen.lineWidth = scale
    for (const v of [low, (low + high) / 2, high]) {
      pen.strokeStyle = style.borderTopColor
      pen.fillStyle = style.color
      pen.beginPath()
      pen.moveTo(0, y(v))
      pen.lineTo(width, y(v))
      pen.stroke()
      pen.fillText(number(v, 2), 2, y(v) - 3 * scale)
    }
    for (const ago of [10, 20]) {
      pen.beginPath()
      pen.moveTo(x(now - ago), 0)
      pen.lineTo(x(now - ago), height)
      pen.stroke()
      pen.fillText(`−${ago} s`, x(now - ago) + 3 * scale, height - 2 * scale)
    }
    pen.lineWidth = 2 * scale
    for (const c of curves) {
      pen.strokeStyle = c.colour
      pen.beginPath()
      c.points.forEach(([t, v], k) => k === 0 || t - c.points[k - 1][0] > 1 ? pen.moveTo(x(t), y(v)) : pen.lineTo(x(t), y(v))) // no line over a gap
      pen.stroke()
    }
  }
  op.on("state", state => {
    if (state.time - last < EVERY && state.time >= last) return
    last = state.time
    for (const c of curves) {
      const v = c.value()
      if (v !== null && v !== undefined) c.points.push([state.time, v])
      while (c.points[0]?.[0] < state.time - SPAN || c.points[0]?.[0] > state.time) c.points.shift()
      put(c.said, `${number(v, 3)} ${c.unit}`)
    }
    if (curves.length > 0) draw(state.time)
  })
  fill()
  op.plot = add
  return panel("Plot", el("div", { class: "row" }, choice), canvas, legend)
}
