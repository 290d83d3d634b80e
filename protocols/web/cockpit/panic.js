// The panic, in a thread and with a connection of its own: neither a busy page nor what its session sends holds it up. First it is given
// { robot, lease } and { port } of what lies over the button, later "panic" as often as wished, and "reset" when its operator resets the
// robot or takes the press back. It says { up, press }: whether it has a link, and what has become of the press.
import { connect } from "/robotalk.js"

const PATIENCE = 150, RETRY = 1000 // ms: at least, for an answer by the connection before another way is tried; between attempts
let robot, path, timer, posted
let press = "" // "waits": until a panic since is known; "withdrawn": there was one, and it was reset before this one could be sent
let epoch      // number of panics that was known last

const tell = () => postMessage({ up: robot !== undefined, press })

async function keep(name, lease) {
  for (;;) {
    try {
      robot = await connect(name, { name: "cockpit", role: 1, lease })
      const lost = new Promise(end => robot.on("lost", notice => notice.holder === undefined && end()))
      robot.on("panicked", () => settle(""))
      // that of before may not have arrived; the lower 16 bits are compared, and a server that began again has fewer
      const since = epoch !== undefined && ((robot.epoch - epoch - 1) & 65535) < 32767
      settle(press !== "waits" || !since ? press : robot.panicked ? "" : "withdrawn")
      if (press === "waits") send()
      await lost
    } catch {
      // it is tried again
    }
    robot = undefined
    tell()
    await new Promise(later => setTimeout(later, RETRY))
  }
}

function settle(how) {
  press = how
  epoch = robot?.epoch ?? epoch
  clearTimeout(timer)
  posted?.abort()
  timer = posted = undefined
  tell()
}

function send() {
  press = "waits"
  tell()
  timer ??= setTimeout(post, Math.max(PATIENCE, 2000 * (robot?.round_trip ?? 0) + 100))
  try { robot.panic() } catch { /* as soon as there is a link */ }
}

// Another way, which the server takes only unless there was a panic since: it is safe to be repeated.
async function post() {
  const one = posted = new AbortController()
  const { type, status } = await fetch(path + (epoch ?? ""), { method: "POST", redirect: "manual", signal: one.signal }).catch(error => error)
  if (one !== posted) return
  if (type !== "opaqueredirect" && status !== 409) return timer = setTimeout(post, RETRY)
  settle(status === 409 ? "withdrawn" : "")
  epoch = undefined // until a notice or another link: another press is another panic
}

onmessage = ({ data }) => {
  if (data === "panic") return send()
  if (data === "reset") settle("")
  if (data.port) data.port.onmessage = send
  if (!data.robot) return
  path = `/${encodeURIComponent(data.robot)}/panic?after=`
  keep(data.robot, data.lease)
}
