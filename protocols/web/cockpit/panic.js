// The panic, in a thread and with a connection of its own: neither a busy page nor what its session sends holds it up. First it is given
// { robot, lease } and { port } of what lies over the button, later "panic" as often as wished, and "reset" when its operator resets the
// robot. It says whether it has a link.
import { connect } from "/robotalk.js"

const PATIENCE = 150 // ms for an answer by the connection, before another way is tried
let robot, wanted = false, path // wanted: until the server has acknowledged it, or a reset

async function keep(name, lease) {
  for (;;) {
    try {
      robot = await connect(name, { name: "cockpit", role: 1, lease })
      const lost = new Promise(end => robot.on("lost", notice => notice.holder === undefined && end()))
      robot.on("panicked", () => { wanted = false })
      postMessage(true)
      if (wanted) robot.panic() // that of before may not have arrived
      await lost
    } catch {
      // it is tried again
    }
    robot = undefined
    postMessage(false)
    await new Promise(later => setTimeout(later, 1000))
  }
}

function panic() {
  wanted = true
  try {
    robot.panic()
  } catch {
    // as soon as there is a link
  }
  setTimeout(() => wanted && fetch(path, { method: "POST", redirect: "manual" }).then(answer => {
    if (answer.type === "opaqueredirect") wanted = false
  }).catch(() => {}), PATIENCE)
}

onmessage = ({ data }) => {
  if (data === "panic") return panic()
  if (data === "reset") wanted = false
  if (data.port) data.port.onmessage = panic
  if (!data.robot) return
  path = `/${encodeURIComponent(data.robot)}/panic`
  keep(data.robot, data.lease)
}
