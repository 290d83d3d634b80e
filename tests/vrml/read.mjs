// Reads VRML97 files by X_ITE in Chromium without a window: node read.mjs FOLDER_OF_NODE_MODULES CHROMIUM FILE…
// For each file a line: its name, how many nodes stand at its root, how many Shapes are drawn, and the fields of RCML_Robot;
// then what the reader complained of. Exits with 1 if it complained, or a file was not read. A last argument --picture=FILE
// makes a picture of the last file.
import { createServer } from "node:http"
import { readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join, resolve } from "node:path"

const [modules, chromium, ...rest] = process.argv.slice(2)
const picture = rest.filter(a => a.startsWith("--picture=")).map(a => a.slice(10))[0]
const files = rest.filter(a => !a.startsWith("--"))
const { chromium: browser } = createRequire(join(resolve(modules), "/"))("playwright-core")
const dist = join(realpathSync(modules), "x_ite/dist")

const page_text = `<!doctype html><link rel="icon" href="data:,"><script src="/x_ite/x_ite.min.js"></script>
<x3d-canvas style="width:480px;height:360px" contentScale="1" splashScreen="false"></x3d-canvas>`

const types = { js: "text/javascript", css: "text/css", wrl: "model/vrml" }
const server = createServer((request, answer) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname)
  if (path === "/") return answer.setHeader("content-type", "text/html").end(page_text)
  const own = path.match(/^\/file\/(\d+)\//)
  try {
    const bytes = readFileSync(own ? files[own[1]] : join(dist, path.replace(/^\/x_ite\//, "")))
    answer.setHeader("content-type", types[path.split(".").pop()] ?? "application/octet-stream").end(bytes)
  } catch {
    answer.writeHead(404).end()
  }
})
await new Promise(ready => server.listen(0, "127.0.0.1", ready))
const home = `http://127.0.0.1:${server.address().port}/`

const program = await browser.launch({ executablePath: chromium, args: ["--no-sandbox", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"] })
const page = await program.newPage({ viewport: { width: 480, height: 360 } })
let said = []
page.on("console", message => { if (["warning", "error"].includes(message.type())) said.push(message.text()) })
page.on("pageerror", error => said.push(String(error)))
await page.goto(home)
await page.waitForFunction(() => document.querySelector("x3d-canvas")?.browser)
said = [] // of the program itself, not of a file

let bad = 0
for (const [i, file] of files.entries()) {
  said = []
  const found = await page.evaluate(async url => {
    const browser = document.querySelector("x3d-canvas").browser
    try {
      await browser.loadURL(new X3D.MFString(url))
    } catch (error) {
      return { error: String(error) }
    }
    const scene = browser.currentScene, out = { nodes: scene.rootNodes.length, rcml: "none", names: [] }
    out.shapes = 0
    const seen = new Set()
    const walk = node => {
      if (!node || seen.has(node)) return
      seen.add(node)
      const kind = node.getNodeTypeName?.()
      if (kind === "Shape") out.shapes++
      if (kind === "RCML_Robot") {
        out.rcml = node.name
        out.names = [...node.inputs].map(o => o.name)
      }
      for (const definition of node.getFieldDefinitions?.() ?? []) {
        let value
        try { value = node[definition.name] } catch { continue }
        if (definition.dataType === X3D.X3DConstants.SFNode) walk(value)
        else if (definition.dataType === X3D.X3DConstants.MFNode) for (let k = 0; k < (value?.length ?? 0); k++) walk(value[k])
      }
    }
    for (const node of scene.rootNodes) walk(node)
    return out
  }, `${home}file/${i}/${encodeURIComponent(basename(file))}`)
  if (found.error) said.push(found.error)
  console.log(`${basename(file)}: ${found.nodes} nodes, ${found.shapes} shapes, ${found.rcml}: ${(found.names ?? []).join(" ")}`)
  for (const line of said) console.log(`${basename(file)}: ${line}`)
  bad += said.length
  if (picture && i === files.length - 1) {
    await page.waitForTimeout(500)
    await page.locator("x3d-canvas").screenshot({ path: picture })
  }
}
await program.close()
server.close()
process.exit(bad ? 1 : 0)
