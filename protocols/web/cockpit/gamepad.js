// A gamepad: its right shoulder button held, the left stick drives and the right one looks around; as `robotalk drive --gamepad` has it.
import { when_all_let_go } from "./hold.js"

const HOLD = 5, EAST = 1, LEFT = 14, RIGHT = 15 // buttons
const ZONE = 0.15, EVERY = 50, RATE = 1         // dead zone; ms; rad/s of the head at most

export function gamepad(op) {
  let held = false, ended = true, panics = false, timer // ended: by a stop or a loss; the button is let go first
  const stick = v => Math.abs(v) < ZONE ? 0 : (v - Math.sign(v) * ZONE) / (1 - ZONE)
  const let_go = () => {
    held = false
    op.pad?.let_go("gamepad")
  }
  const look = () => {
    const one = navigator.getGamepads().find(g => g?.connected && g.mapping === "standard")
    if (!one || document.hidden || !document.hasFocus()) return let_go()
    const [turn, ahead, pan, tilt] = one.axes.map(stick), [pressed, east, left, right] = [HOLD, EAST, LEFT, RIGHT].map(b => one.buttons[b].pressed)
    if (east && !panics) op.panic()
    panics = east
    if (!pressed) {
      ended = false
      if (held) let_go()
    } else if (held || !ended && turn === 0 && ahead === 0) { // a stick that was pushed before the button begins nothing until its middle
      held = true
      op.pad?.hold("gamepad", [-ahead, left - right, -turn])
      if (pan) op.head?.("pan", -pan * RATE * EVERY / 1000)
      if (tilt) op.head?.("tilt", -tilt * RATE * EVERY / 1000)
    }
  }
  when_all_let_go(op, () => { held = false, ended = true })
  addEventListener("gamepadconnected", ({ gamepad }) => {
    op.say(`gamepad ${gamepad.id}: hold the right shoulder button to drive`)
    timer ??= setInterval(look, EVERY)
  })
  addEventListener("gamepaddisconnected", ({ gamepad }) => {
    op.say(`gamepad ${gamepad.id} is gone`, "bad")
    let_go()
  })
}
