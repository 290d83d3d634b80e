// A server's page and /robotalk.js in Chromium without a window: node page.mjs FOLDER_OF_NODE_MODULES CHROMIUM SERVER OTHER WHAT. SERVER:
// http://host:port with a pioneer2. OTHER: the same of a server that lists the origin http://localhost:PORT of this program's own page, where
// PORT is in the environment as OTHER_PORT. WHAT: one of the functions below. Prints what it has seen, a line each.
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

const [modules, chromium, place, what] = process.argv.slice(2)
const { chromium: browser } = createRequire(join(resolve(modules), "/"))("playwright-core")
const program = await browser.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
const context = await browser_context()
const page = await context.newPage()
const say = (...words) => console.log(...words)

async function browser_context() {
  const made = await program.newContext({ javaScriptEnabled: what !== "plain", ignoreHTTPSErrors: true })
  made.setDefaultTimeout(1000 * (process.env.ROBOTALK_PATIENCE || 300))
  return made
}

// Runs a function within the page, with the module.
const run = (f, ...more) => page.evaluate(`(async () => {
  const { connect, robots } = await import("${place}/robotalk.js")
  return await (${f})(connect, robots, ...${JSON.stringify(more)})
})()`)

const tests = {
  // without scripts: what it shows, and its buttons
  async plain() {
    await page.goto(place)
    say(await page.textContent("h2"), await page.textContent("dd"))
    say("picture", await page.$eval("img", i => i.naturalWidth > 0).catch(() => false) || await page.getAttribute("img", "src"))
    await page.click("button.panic")
    say(await page.textContent("dd"))
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
  },

  async drive() {
    await page.goto(place)
    say(await run((connect, robots) => robots()))
    say(JSON.stringify(await run(async connect => {
      const robot = await connect("pioneer2", { name: "driver" }), out = []
      const put = (...words) => out.push(words.join(" "))
      const word = r => r.signal + (r.reason === "none" ? "" : " " + r.reason)
      put("joints", robot.body.joint.map(j => j.name + ":" + j.dof.map(d => d.name)).join(" "))
      put("head", word(await robot.set_joint("head", { pan: 0.2, tilt: -0.1 })))
      put("clipped", word(await robot.set_joint("head", { pan: 9 })))
      put("go", word(await robot.go_to({ x: 0.3 })))
      const state = await robot.state()
      put("at", Math.abs(state.x - 0.3) < 0.01, state.joints.head.tilt.toFixed(1))
      put("together", ...(await Promise.all([robot.set_joint("head", { pan: 0 }), robot.set_speed({ x: 0.1, theta: 0.1 })])).map(word))
      let states = 0, readings = 0, pictures = 0, size = 0
      const seen = new Promise(done => {
        const look = () => states > 4 && readings > 1 && pictures > 2 && done()
        robot.broadcast(0.05, s => { states += s.time > 0; look() })
        robot.watch(["sonar0"], 0.05, r => { readings += r.sonar0.values.length; look() })
        robot.view("camera", { rate: 20 }, p => { pictures++; size = p.width + "x" + p.height; look() }, e => put("view", e.message))
      })
      await seen
      put("seen", size)
      const picture = await robot.picture("camera", { width: 160 })
      put("picture", picture.width, (await createImageBitmap(picture.blob())).height)
      put("stop", word(await robot.stop()))
      put("bad", await robot.query("open", { robot: "nobody" }).catch(e => e.code))
      robot.close()
      return out
    }), null, 1))
  },

  async tape() {
    await page.goto(place)
    say(JSON.stringify(await run(async connect => {
      const robot = await connect("", {}), tape = await robot.session({ mode: "playback", duration: 1 }), ends = []
      for (let i = 0; i <= 10; i++)
        ends.push(tape.frame({ base: { speed: { x: i < 10 ? 0.2 : 0, theta: 0 } },
          head: { pan: i / 20, speed: i % 2 ? 5 : { tilt: 0 }, velocity: { pan: i < 10 ? 0.5 : 0 } } }, i / 10))
      const status = await tape.finish(), signals = (await Promise.all(ends)).map(r => r.signal)
      await tape.close()
      const tail = await robot.state()
      robot.close()
      return { executed: status.executed, succeeded: status.succeeded === signals.filter(s => s === "success").length && status.succeeded > 0, refused: status.refused, last: signals.at(-1), pan: tail.joints.head.pan.toFixed(2), drove: tail.x > 0.1 }
    })))
  },

  // another's stop, leases, panic
  async others() {
    await page.goto(place)
    say(JSON.stringify(await run(async connect => {
      const one = await connect("", { name: "one" }), two = await connect("", { name: "two" }), out = []
      const word = r => r.signal + (r.reason === "none" ? "" : " " + r.reason)
      out.push("one " + word(await one.set_speed({ x: 0.1 })))
      out.push("two " + word(await two.set_speed({ x: 0.1 })), "holder " + (await two.holders()).map(h => h.name))
      const asked = new Promise(done => one.on("asked", n => done(n)))
      const taken = two.take()
      await one.give_lease((await asked).holder)
      out.push("taken " + await taken, "handlers " + (two.handlers.answered?.length ?? 0))
      out.push("two " + word(await two.set_joint("head", { pan: 0.1 })))
      const stopped = new Promise(done => two.on("latched", done))
      await fetch("/pioneer2/stop", { method: "POST" })
      const latch = await stopped
      out.push("stopped by " + latch.name, "two " + word(await two.set_joint("head", { pan: 0.2 })))
      await two.resume()
      out.push("resumed " + word(await two.set_joint("head", { pan: 0.2 })))
      const panicked = new Promise(done => two.on("panicked", done))
      one.panic()
      out.push("panicked by " + (await panicked).name)
      out.push("in panic " + word(await two.set_joint("head", { pan: 0 })), (await (await fetch("/pioneer2/state.json")).json()).state.panic)
      // two at once: both end
      await Promise.all([two.reset(), two.reset()])
      out.push("reset " + word(await two.set_joint("head", { pan: 0 })))
      one.close()
      two.close()
      return out
    }), null, 1))
  },

  // the link breaks: what goes on ends, and a panic is not lost in silence
  async lost() {
    await page.goto(place)
    say(JSON.stringify(await run(async connect => {
      const robot = await connect(""), out = []
      const end = new Promise(done => robot.broadcast(0.05, () => robot.link.socket.close(), 0, error => done("broadcast " + error.code)))
      const lost = new Promise(done => robot.on("lost", () => done("lost")))
      out.push(await end, await lost)
      try { robot.panic() } catch (error) { out.push("panic " + error.code) }
      out.push("take " + await robot.take().catch(e => e.code))
      return out
    })))
    // with reconnect: broadcasts go on, what was commanded is not commanded again, the lease is the same
    say(JSON.stringify(await run(async connect => {
      const robot = await connect("", { reconnect: true, name: "again" }), out = []
      let states = 0, state
      robot.broadcast(0.05, s => { states++; state = s })
      await robot.set_speed({ x: 0.2 })
      for (const way of ["close", "drop"]) {
        const lost = new Promise(done => robot.on("lost", n => done("lost " + n.final))), back = new Promise(done => robot.on("back", () => done("back")))
        way === "close" ? robot.link.socket.close() : robot.drop()
        out.push(await lost)
        const meanwhile = robot.set_speed({ x: 0.2 })
        out.push((await meanwhile).reason, await back)
        const before = states
        while (states < before + 3 || state.moving) await new Promise(done => setTimeout(done, 50))
      }
      out.push("drives " + (await robot.set_joint("head", { pan: 0.1 })).signal, (await robot.holders()).map(h => h.name + " " + h.own).join())
      await robot.close()
      return out
    })))
  },

  // a server that does not answer, and one that refuses who comes back
  async refused() {
    let mode = "hangs", tries = 0
    await page.routeWebSocket("**/robotalk", socket => {
      tries++
      if (mode === "hangs") {
        let packages = 0
        const server = socket.connectToServer()
        socket.onMessage(bytes => packages++ < 2 && server.send(bytes)) // "hello", and one question for the clock
      } else if (mode === "refuses") {
        socket.close({ code: 1008, reason: "its token is not listed" })
      } else {
        socket.connectToServer()
      }
    })
    await page.goto(place)
    say("hangs", await run(connect => connect("", { timeout: 1 }).then(() => "linked", e => e.code + " " + e.message)))
    mode = "serves"
    await run(async connect => {
      const robot = window.robot = await connect("", { reconnect: true }), seen = window.seen = []
      robot.on("lost", n => seen.push("lost " + n.final + (n.final ? " " + n.reason : "")))
      robot.broadcast(0.05, () => {}, 0, error => seen.push("broadcast " + error.message))
    })
    mode = "refuses"
    const before = tries
    say("refuses", await run(async () => {
      window.robot.link.socket.close()
      while (!window.seen.some(s => s.startsWith("lost true"))) await new Promise(done => setTimeout(done, 20))
      await new Promise(done => setTimeout(done, 1500)) // longer than until the next attempt
      return window.seen.join(", ")
    }), tries - before)
    await page.goto(place + "/cockpit/pioneer2")
    await page.waitForFunction(() => document.querySelector(".link").textContent === "refused: its token is not listed")
    say("cockpit refused")
  },

  // a one-time link, which becomes a cookie; then the same link again, in a browser without it
  async link() {
    const link = process.env.LINK
    await page.goto(link)
    await page.click("button")
    await page.waitForURL(place + "/")
    say(await page.textContent("h2"))
    const [cookie] = await context.cookies()
    say("cookie", cookie.httpOnly, cookie.secure, cookie.sameSite)
    say("drive", await run(async connect => {
      const robot = await connect("", { role: 3 }), answer = await robot.set_joint("head", { pan: 0.1 })
      robot.panic()
      await new Promise(done => robot.on("panicked", done))
      const reset = await robot.reset().catch(e => e.code)
      robot.close()
      return answer.signal + " " + reset
    }))
    const other = await (await browser_context()).newPage()
    say("again", (await other.goto(link)).status(), (await other.goto(place)).status())
  },

  // a page of the user, from another port; what it shows
  async own() {
    await page.goto(process.env.PAGE)
    await page.waitForFunction(() => document.querySelector("output").textContent)
    say("own", await page.textContent("output"))
  },

  // a page of another server, which may ask if its origin is listed
  async stranger() {
    const other = createServer((request, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html>"))
    await new Promise(ready => other.listen(Number(process.env.OTHER_PORT || 0), "127.0.0.1", ready))
    await page.goto(`http://127.0.0.1:${other.address().port}/`)
    say("module", await run(async connect => {
      const robot = await connect("")
      const answer = await robot.set_joint("head", { pan: 0.1 })
      robot.close()
      return answer.signal
    }).catch(() => "refused"))
    say("fetch", await page.evaluate(url => fetch(url + "/robots.json").then(r => r.status, () => "refused"), place))
    say("post", await page.evaluate(url => fetch(url + "/pioneer2/stop", { method: "POST", mode: "no-cors" }).then(r => r.type, () => "refused"), place))
    say("socket", await page.evaluate(url => new Promise(done => {
      const socket = new WebSocket(url.replace("http", "ws") + "/robotalk")
      socket.onopen = () => done("open")
      socket.onerror = () => done("refused")
    }), place))
    say("frame", await page.evaluate(url => new Promise(done => {
      const frame = Object.assign(document.createElement("iframe"), { src: url })
      frame.onload = () => { try { done(frame.contentDocument ? "blank" : "refused") } catch { done("refused") } }
      document.body.append(frame)
    }), place))
    other.close()
  },
}

await tests[what]()
await program.close()
process.exit(0)
