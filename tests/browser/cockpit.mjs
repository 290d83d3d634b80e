// The cockpit in Chromium without a window: node cockpit.mjs FOLDER_OF_NODE_MODULES CHROMIUM SERVER WHAT …. SERVER: http://host:port with a
// pioneer2 that nobody else drives. WHAT: one of the functions below. Prints what it has seen, a line each.
import { readFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

const [modules, chromium, place, ...wanted] = process.argv.slice(2)
const need = createRequire(join(resolve(modules), "/"))
const program = await need("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage",
  ...wanted.includes("arm") ? ["--enable-unsafe-swiftshader"] : ["--disable-3d-apis"]] })
const PATIENCE = 1000 * (process.env.ROBOTALK_PATIENCE || 300)
const say = (...words) => console.log(...words)
const state = async () => (await (await fetch(place + "/pioneer2/state.json")).json()).state
const pause = ms => new Promise(later => setTimeout(later, ms))

async function until(what, f) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(20)) if (await f()) return true
  throw new Error(`never so: ${what}`)
}

// A page with the cockpit, once it shows a state.
async function cockpit(server = place, more = {}, robot = "pioneer2") {
  const context = await program.newContext({ viewport: { width: 1280, height: 900 }, ...more })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  page.on("pageerror", error => say("page error", error.message))
  await page.goto(server + "/cockpit/" + robot)
  await shows(page, "#panel-state", "stands")
  await until("live", () => page.evaluate(() => !document.body.classList.contains("old")))
  return page
}
const shows = (page, where, text) => page.waitForFunction(([w, t]) => document.querySelector(w)?.textContent.includes(t), [where, text])

// A relay to the server, which can be cut, frozen from the server to its clients, or deaf to them, and slow either way (ms).
async function relay() {
  const { hostname, port } = new URL(place), pairs = new Set()
  let frozen = false, shut = false, deaf = false, slow = [0, 0], posts = 0
  const server = createServer(near => {
    if (shut) return near.destroy()
    const far = connect(port, hostname), pair = { near, far }
    pairs.add(pair)
    const late = (k, f) => slow[k] > 0 ? setTimeout(f, slow[k]) : f()
    near.on("data", bytes => {
      posts += bytes.toString("latin1").startsWith("POST ")
      if (!deaf) late(0, () => far.write(bytes))
    }).on("end", () => late(0, () => far.end()))
    far.on("data", bytes => { if (!frozen) late(1, () => near.write(bytes)) }) // what is frozen is lost: the link says nothing more
    for (const one of [near, far]) one.on("error", () => {}).on("close", () => { near.destroy(); far.destroy(); pairs.delete(pair) })
  })
  await new Promise(ready => server.listen(0, "127.0.0.1", ready))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() { shut = true; for (const { near, far } of pairs) { near.destroy(); far.destroy() } },
    mend() { shut = frozen = deaf = false },
    freeze() { frozen = true },
    deafen() { deaf = true },
    slow(up, down) { slow = [up, down] },
    posts: () => posts,
  }
}

const tests = {
  async drive() {
    const page = await cockpit(), bytes = page.evaluate(() => performance.getEntriesByType("resource").filter(entry =>
      !entry.name.includes("/three.")).concat(performance.getEntriesByType("navigation")).reduce((sum, entry) => sum + entry.encodedBodySize, 0))
    say("small", await bytes < 600e3)
    await page.keyboard.down("w")
    await until("it drives by a key", async () => (await state()).pose[0] > 0.1)
    await page.keyboard.up("w")
    await until("it rests", async () => !(await state()).moving)
    say("key drives, release stops")
    const box = await page.locator(".pad").boundingBox(), at = (await state()).attitude[2]
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + 4, box.y + box.height / 2)
    await until("it turns by the pad", async () => (await state()).attitude[2] > at + 0.1)
    await page.mouse.up()
    await until("it rests", async () => !(await state()).moving)
    say("pad turns, release stops")
    await page.locator("input[aria-label='head pan']").focus()
    await page.keyboard.press("Shift+ArrowRight")
    await until("the head turns", async () => (await state()).position[0] > 0.1)
    say("slider turns the head")
    const picture = await page.locator(".camera canvas").boundingBox()
    await page.mouse.move(picture.x + 100, picture.y + 100)
    await page.mouse.down()
    await page.mouse.move(picture.x + 50, picture.y + 100, { steps: 5 })
    await page.mouse.up()
    await until("the picture turns the head", async () => (await state()).position[0] < 0.1)
    say("dragging the picture turns the head")
    await page.keyboard.down("ArrowUp")
    await until("it drives", async () => (await state()).moving)
    await page.evaluate(() => dispatchEvent(new Event("blur")))
    await until("it rests", async () => !(await state()).moving)
    say("a window that is left stops")
    await page.keyboard.up("ArrowUp")
    for (const [key, what] of [["Escape", "Esc"], ["Alt", "a modifier"]]) {
      await page.keyboard.down("w")
      await until("it drives", async () => (await state()).moving)
      await page.keyboard.down(key)
      await until("it rests", async () => !(await state()).moving)
      await pause(300)
      say(what, "stops what is held", (await state()).moving)
      await page.keyboard.up(key)
      await page.keyboard.up("w")
    }
    await page.keyboard.down("w")
    await page.locator("input[aria-label=command]").focus()
    await until("it drives", async () => (await state()).moving)
    await page.keyboard.press("Escape")
    await until("it rests", async () => !(await state()).moving)
    await page.keyboard.up("w")
    say("Esc stops from within a text")
    // whatever is held, and however it is stopped: nothing goes on until it is held again
    const line = page.locator("input[aria-label=command]"), centre = box => [box.x + box.width / 2, box.y + box.height / 2]
    const ways = {
      async typed() {
        await line.fill("stop")
        await line.press("Enter")
      },
      esc: () => page.keyboard.press("Escape"),
      async panic() {
        await page.keyboard.press(" ")
        await shows(page, ".said", "In panic")
        await page.keyboard.press("r")
        await until("reset", async () => (await state()).panic === 0)
      },
    }
    for (const [name, stop] of Object.entries(ways)) {
      await line.evaluate(node => node.blur())
      await page.keyboard.down("w")
      await until("it drives", async () => (await state()).moving)
      await stop()
      await until("it rests", async () => !(await state()).moving)
      await pause(300)
      const out = [(await state()).moving]
      await page.keyboard.up("w")
      for (const held of [".camera canvas", "input[aria-label='head pan']"]) {
        const [x, y] = centre(await page.locator(held).boundingBox()), pan = async () => (await state()).position[0]
        const before = await pan(), way = held.startsWith(".") ? 60 : before > 0 ? -20 : 20
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x + way, y, { steps: 5 })
        await until(`${held} turns the head`, async () => Math.abs(await pan() - before) > 0.05)
        await stop()
        await until("it rests", async () => !(await state()).moving)
        const there = await pan()
        await page.mouse.move(x - way, y, { steps: 5 })
        await pause(300)
        out.push(Math.abs(await pan() - there) < 0.01)
        await page.mouse.up()
      }
      say("held ends by", name, ...out)
    }
    await page.keyboard.press("Escape")
    await shows(page, ".said", "Stopped by you")
    await shows(page, ".log", "stopped by you")
  },

  // the link is lost while a key is held, and comes back
  async lost() {
    const link = await relay(), page = await cockpit(link.url)
    await page.keyboard.down("w")
    await until("it drives", async () => (await state()).moving)
    link.cut()
    await until("it stops", async () => !(await state()).moving)
    await shows(page, ".link", "no link")
    say("lost stops")
    link.mend()
    await until("what is held goes on", async () => (await state()).moving)
    await page.keyboard.up("w")
    await until("it stops", async () => !(await state()).moving)
    say("back drives")
    // a panic that was sent and did not arrive is sent again
    link.deafen()
    await page.keyboard.press(" ")
    await pause(500)
    link.cut()
    await shows(page, ".link", "no link")
    say("lost panic", (await state()).panic)
    link.mend()
    await until("panic", async () => (await state()).panic === 1)
    say("sent again")
    await shows(page, ".said", "In panic")
    await page.keyboard.press("r")
    await until("reset", async () => (await state()).panic === 0)
    link.cut() // and only once
    await shows(page, ".said", "has no link")
    link.mend()
    await until("the button has a link", () => page.evaluate(() => !document.querySelector(".said").textContent.includes("has no link")))
    await pause(300)
    say("after its reset", (await state()).panic)
    // one press is one panic, whichever way is slow: another operator's fast reset holds
    const two = await cockpit(), gone = text => until(`no ${text}`, () => page.evaluate(t => !document.querySelector(".said").textContent.includes(t), text))
    const reset_by = async operator => {
      await shows(operator, ".said", "In panic")
      await operator.keyboard.press("r")
      await until("reset", async () => (await state()).panic === 0)
    }
    const back = async () => {
      await shows(page, ".said", "no link")
      link.mend()
      await gone("has no link")
      await until("a link", () => page.evaluate(() => !document.querySelector(".link").textContent.includes("no link")))
    }
    for (const way of [[400, 0], [0, 400]]) {
      link.cut()
      link.slow(...way)
      await back()
      const { epoch } = await state(), posts = link.posts()
      await page.keyboard.press(" ")
      await reset_by(two)
      await pause(1500)
      say("slow", (await state()).epoch - epoch, (await state()).panic, link.posts() - posts)
    }
    // it did not arrive, and meanwhile the robot was in panic and was reset
    link.cut()
    link.slow(0, 0)
    await back()
    link.deafen()
    await page.keyboard.press(" ")
    await shows(page, ".said", "until the server acknowledges it")
    link.cut()
    await two.keyboard.press(" ")
    await reset_by(two)
    link.mend()
    await shows(page, ".said", "was reset while there was no link")
    await pause(1500)
    say("reset meanwhile", (await state()).panic)
    await page.keyboard.press("r")
    await gone("was reset")
    // a press that waits is taken back
    link.cut()
    await shows(page, ".said", "no link")
    await page.keyboard.press(" ")
    await shows(page, ".said", "PANIC is sent as soon as there is a link")
    await page.keyboard.press("r")
    await gone("PANIC is sent")
    await back()
    await pause(300)
    say("taken back", (await state()).panic)
    const { epoch } = await state()
    for (const after of [epoch - 1, epoch, epoch, epoch + 5, "x"]) {
      const { status } = await fetch(`${place}/pioneer2/panic?after=${after}`, { method: "POST", redirect: "manual" })
      say("after", status, (await state()).epoch - epoch)
    }
    await reset_by(page)
  },

  // the server's side says nothing more: neither the page nor the server drives by what is on the screen
  async frozen() {
    const link = await relay(), page = await cockpit(link.url)
    await page.keyboard.down("w")
    await until("it drives", async () => (await state()).moving)
    link.freeze()
    await until("it stops", async () => !(await state()).moving)
    await shows(page, ".link", "frozen")
    say("frozen stops")
    await page.keyboard.up("w")
    await page.keyboard.press("s")
    await shows(page, ".log", "the view is frozen")
    say("the page refuses")
    link.mend()
    await until("the page comes back", () => page.evaluate(() => !document.body.classList.contains("old")))
    say("back")
    say("server", await page.evaluate(async () => {
      const { connect } = await import("/robotalk.js"), robot = await connect("pioneer2", { name: "frozen" })
      const first = await robot.set_joint("head", { pan: 0 })
      robot.seen = robot.now() - 2
      const second = await robot.set_joint("head", { pan: 0.1 })
      robot.close()
      return `${first.signal} ${second.signal} ${second.reason}`
    }))
  },

  // the space bar, and then the page's thread does nothing else for three seconds
  async busy() {
    const page = await cockpit()
    await page.waitForFunction(() => document.querySelector(".said").textContent === "")
    await page.keyboard.down("w")
    await until("it drives", async () => (await state()).moving)
    await page.evaluate(() => addEventListener("keydown", event => {
      if (event.key === " ") for (const end = Date.now() + 3000; Date.now() < end;);
    }))
    let idle = false
    const pressed = page.keyboard.press(" ").then(() => { idle = true })
    await until("panic", async () => (await state()).panic === 1)
    say("panic", idle ? "when it was idle again" : "while it was busy")
    await pressed
    await page.keyboard.up("w")
    await shows(page, ".said", "In panic, by you")
    await page.keyboard.press("r")
    await until("reset", async () => (await state()).panic === 0)
    say("reset")
    // busy already when the button is pressed
    const { x, y } = await page.locator(".big iframe").boundingBox()
    idle = false
    const busy = page.evaluate(() => { for (const end = Date.now() + 3000; Date.now() < end;); }).then(() => { idle = true })
    await pause(300)
    await page.mouse.move(x + 20, y + 20)
    await page.mouse.down()
    await until("panic", async () => (await state()).panic === 1)
    say("pressed", idle ? "when it was idle again" : "while it was busy")
    await busy
    await shows(page, ".said", "In panic, by you")
    await page.mouse.up()
    await page.keyboard.press("r")
    await until("reset", async () => (await state()).panic === 0)
  },

  // an episode of what the page drives
  async episodes() {
    const page = await cockpit(), press = name => page.getByRole("button", { name, exact: true }).click()
    const says = text => shows(page, "#panel-episodes p", text)
    await page.getByLabel("task of the next episode").fill("look left")
    await press("Begin")
    await says("Recording")
    await page.locator("input[aria-label='head pan']").focus()
    await page.keyboard.press("Shift+ArrowRight")
    await pause(500)
    await press("Keep")
    await says("1 episode,")
    for (const name of ["Begin", "Again", "Drop"]) {
      await press(name)
      await says(name === "Drop" ? "dropped" : "Recording")
    }
    say("kept", (await page.locator("#panel-episodes p").textContent()).replace(/[0-9]+ frames/, "… frames"))
    await page.context().close()
  },

  async contend() {
    const one = await cockpit(), two = await cockpit()
    await one.keyboard.down("w")
    await until("it drives", async () => (await state()).moving)
    await two.keyboard.down("s") // held: a busy machine may show it an old view for a moment
    await shows(two, ".log", "drives: T asks for it")
    await two.keyboard.up("s")
    await shows(one, ".holders", "Driven by you")
    await two.keyboard.press("t")
    await shows(one, ".asked", "asks for the robot")
    await one.keyboard.press("y")
    await shows(two, ".holders", "Driven by you")
    await shows(one, ".log", "drives now")
    await one.keyboard.up("w")
    await until("it rests", async () => !(await state()).moving)
    await two.keyboard.down("s")
    await until("two drives", async () => (await state()).twist[0] < 0)
    say("given")
    await one.keyboard.press("Escape")
    await until("it stops", async () => !(await state()).moving)
    await shows(two, ".said", "Stopped by cockpit")
    await two.keyboard.up("s")
    await two.keyboard.press("g")
    await two.keyboard.down("s")
    await until("two drives again", async () => (await state()).twist[0] < 0)
    say("stopped and resumed")
  },

  // nothing moves under a finger: while a key is held, another client asks, after a stop and in panic
  async still() {
    for (const more of [{}, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }]) {
      const page = await cockpit(place, more), other = await cockpit(), out = []
      const places = () => page.evaluate(() => JSON.stringify([innerWidth, document.documentElement.scrollWidth,
        ...[...document.querySelectorAll(".panic, .stops > .row > button, .pad")].map(node => node.getBoundingClientRect())]))
      await shows(page, ".camera .age", "a second")
      await page.keyboard.press("g") // an earlier stop may hold yet
      await page.waitForFunction(() => document.querySelector(".said").textContent === "")
      const before = await places(), same = async () => out.push(await places() === before)
      await page.keyboard.down("d")
      await until("it turns", async () => (await state()).moving)
      await same()
      await other.waitForFunction(() => !document.querySelector("#panel-who-drives button").disabled)
      await other.keyboard.press("t")
      await shows(page, ".asked", "asks for the robot; silence is a yes in")
      out.push(await page.evaluate(() => {
        const [asked, says] = [".asked", ".says"].map(part => document.querySelector(part).getBoundingClientRect())
        return asked.top >= says.top && asked.bottom <= says.bottom && says.top >= 0 && says.bottom <= innerHeight
      }))
      await same()
      await page.click("text=Keep")
      await shows(other, ".log", "was not given")
      await page.keyboard.up("d")
      await fetch(place + "/pioneer2/stop", { method: "POST", redirect: "manual" })
      await shows(page, ".said", "Stopped by")
      await same()
      await page.keyboard.press("g")
      await page.keyboard.press(" ")
      await shows(page, ".said", "In panic")
      await same()
      await page.keyboard.press("r")
      await until("reset", async () => (await state()).panic === 0)
      say("still", ...out)
      for (const one of [page, other]) await one.context().close()
    }
  },

  // by an address that lets nobody drive
  async watch() {
    const page = await cockpit()
    await page.keyboard.press("w")
    await shows(page, ".log", "not sent: you may watch and stop")
    await shows(page, ".link", "you may watch and stop")
    say("watches", await page.evaluate(() => document.querySelector("#panel-drive").inert))
  },

  // a line, a plot, old pictures, a gamepad
  async controls() {
    const page = await cockpit(), line = page.locator("input[aria-label=command]")
    await line.fill("set_j")
    await line.press("Tab")
    say("completed", await line.inputValue())
    await line.fill("set_joint head pan=0.3")
    await line.press("Enter")
    await until("the head turns", async () => (await state()).position[0] > 0.29)
    await shows(page, ".log", "set_joint: success")
    await line.fill("override 0,5")
    await line.press("Enter")
    await shows(page, ".log", "a value is no number")
    await line.fill("fly x=1")
    await line.press("Enter")
    await shows(page, ".log", "there is no command 'fly'")
    await line.fill("stpo")
    await line.press("Enter")
    await shows(page, ".log", "did you mean 'stop'?")
    await line.fill("head plot space")
    await line.press(" ")
    say("space in a text", (await state()).panic)
    await line.fill("plot head.pan")
    await line.press("Enter")
    await shows(page, ".legend", "head.pan 0.300 rad")
    say("plots")
    await line.press("Escape")
    const past = page.locator("input[aria-label='rewind camera']")
    await past.fill("-1")
    await page.keyboard.down("w")
    await shows(page, ".log", "the view is an old one")
    await page.keyboard.up("w")
    await page.click("text=Live")
    await page.evaluate(() => {
      const axes = [0, 0, 0, 0], buttons = Array.from({ length: 17 }, () => ({ pressed: false })), pad = { id: "test", connected: true, mapping: "standard", axes, buttons }
      navigator.getGamepads = () => [pad]
      window.pad = pad
      const event = new Event("gamepadconnected")
      event.gamepad = pad
      dispatchEvent(event)
    })
    const set = code => page.evaluate(`(pad => { ${code} })(window.pad)`)
    await page.locator(".pad").focus()
    await set("pad.axes[1] = -1")
    await pause(300)
    say("without its button", (await state()).moving)
    await set("pad.buttons[5].pressed = true")
    await pause(300)
    say("pushed before", (await state()).moving)
    await set("pad.axes[1] = 0")
    await pause(200)
    await set("pad.axes[1] = -1")
    await until("it drives", async () => (await state()).moving)
    await set("pad.buttons[5].pressed = false")
    await until("it rests", async () => !(await state()).moving)
    say("gamepad drives, release stops")
  },

  // an arm: its hand is moved, and does not reach everything
  async arm() {
    const page = await cockpit(place, {}, "puma560"), at = async () => page.textContent("#panel-control-frames output")
    const before = await at(), plus = page.locator("button[aria-label='hand up']")
    await plus.dispatchEvent("pointerdown", { pointerId: 1 })
    await until("the hand moves", async () => await at() !== before)
    await plus.dispatchEvent("pointerup", { pointerId: 1 })
    say("moves")
    await page.fill("input[aria-label='hand x, m']", "")
    await page.click("text=Go")
    await shows(page, ".log", "hand x, m is no number")
    await page.fill("input[aria-label='hand x, m']", "3")
    await page.click("text=Go")
    await shows(page, "#panel-control-frames", "out of reach")
    say("out of reach")
    if ((await fetch(place + "/cockpit/three.module.min.js")).status !== 200) return say("no three.js")
    // the view of space has the hand where the robot has it, and it is dragged
    const canvas = page.locator("#panel-space canvas"), box = await canvas.boundingBox()
    await until("it rests", async () => !(await (await fetch(place + "/puma560/state.json")).json()).state.moving)
    const place_of = () => canvas.evaluate(c => c.place_of("hand"))
    const text = async () => (await at()).split(" m;")[0].split(/ +/).map(Number)
    await until("the hand is there", async () => {
      const here = await text(), there = (await place_of()).position
      return Math.hypot(...here.map((v, k) => v - there[k])) < 0.002
    })
    say("space")
    const from = await place_of(), start = await text()
    await page.mouse.move(box.x + from.x, box.y + from.y)
    await page.mouse.down()
    await page.mouse.move(box.x + from.x, box.y + from.y + 15, { steps: 5 })
    await until("the hand follows", async () => (await text())[2] < start[2] - 0.02)
    say("dragged")
    await page.keyboard.press("Escape")
    await until("it rests", async () => !(await (await fetch(place + "/puma560/state.json")).json()).state.moving)
    await pause(300)
    const stopped = await at()
    await page.mouse.move(box.x + from.x, box.y + from.y - 15, { steps: 5 })
    await pause(300)
    say("Esc ends a drag in space", await at() === stopped)
    await page.mouse.up()
    const again = await place_of()
    await page.mouse.move(box.x + again.x, box.y + again.y)
    await page.mouse.down()
    await page.mouse.move(box.x + from.x, box.y + 1, { steps: 5 })
    await shows(page, "#panel-space", "out of reach")
    await page.mouse.up()
    say("not so far")
  },

  // by the rules for pages of everybody, in both colours and on a narrow screen
  async axe() {
    const rules = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8")
    for (const [name, more] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 390, height: 844 } }]]) {
      const page = await cockpit(place, more)
      await page.evaluate(rules + ";0")
      const { violations, passes } = await page.evaluate(() => window.axe.run())
      for (const one of violations) say(name, one.id, one.nodes.map(n => n.html).join(" "))
      say(name, passes.length > 10, violations.length)
      if (process.env.SCREENSHOT) await page.screenshot({ path: `${process.env.SCREENSHOT}_${name}.png`, fullPage: true })
    }
  },
}

for (const what of wanted) {
  await tests[what]()
  for (const context of program.contexts()) await context.close()
}
await program.close()
process.exit(0)
