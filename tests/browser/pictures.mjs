// A camera's pictures in Chromium without a window: node pictures.mjs FOLDER_OF_NODE_MODULES CHROMIUM SERVER PATH HOW.
// SERVER: http://host:port. PATH: of a stream, whose camera shows a test card. HOW: "tab", the stream's own address in a
// tab; "page", an <img> in a page of the same server; "other", an <img> in a page of another one. For each new picture a
// line: its number and the time that it shows, s, as the pixels of a canvas have them; the fifth is the last. Without any
// for some seconds: "nothing".
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

const [modules, chromium, place, path, how] = process.argv.slice(2)
const { chromium: browser } = createRequire(join(resolve(modules), "/"))("playwright-core")
const PICTURES = 5, PATIENCE = 1000 * (how === "other" ? 5 : process.env.ROBOTALK_PATIENCE || 300)

const program = await browser.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
const page = await program.newPage()
page.setDefaultTimeout(PATIENCE)

if (how === "tab") {
  await page.goto(place + path, { waitUntil: "commit" })
} else {
  const other = createServer((request, answer) => answer.setHeader("content-type", "text/html").end("<!doctype html>"))
  await new Promise(ready => other.listen(0, "127.0.0.1", ready))
  await page.goto(how === "page" ? place + "/" : `http://127.0.0.1:${other.address().port}/`)
  await page.evaluate(url => {
    document.body.append(Object.assign(document.createElement("img"), { src: url }))
  }, place + path)
  other.close()
}

// The bytes of the squares of drivers/camera/test_card.c: 4 rows of 26, the number in 32 bits, the time in ns in 64, a sum in 8.
const read_card = () => {
  const image = [...document.images].at(-1) // behind those of the page itself
  if (!image?.naturalWidth) return null
  const width = image.naturalWidth, height = image.naturalHeight, top = height - Math.floor(height / 4)
  const canvas = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d")
  canvas.drawImage(image, 0, 0)
  const pixels = canvas.getImageData(0, 0, width, height).data, bytes = new Uint8Array(13)
  for (let bit = 0; bit < 104; bit++) {
    const x = Math.floor((2 * (bit % 26) + 1) * width / 52)
    const y = top + Math.floor((2 * Math.floor(bit / 26) + 1) * (height - top) / 8)
    bytes[bit >> 3] |= (pixels[4 * (y * width + x) + 1] > 127) << (7 - bit % 8)
  }
  if (bytes.slice(0, 12).reduce((a, b) => a + b, bytes[12]) % 256 !== 255) return null
  const view = new DataView(bytes.buffer)
  return { number: view.getUint32(0), time: Number(view.getBigInt64(4)) / 1e9 }
}

let last = 0, seen = 0
const end = Date.now() + PATIENCE
while (seen < PICTURES && Date.now() < end) {
  const card = await page.evaluate(read_card).catch(() => null)
  if (card && card.number !== last) {
    console.log(`${card.number} ${card.time}`)
    last = card.number
    seen++
  }
  await new Promise(later => setTimeout(later, 20))
}
if (!seen) console.log("nothing")
await program.close()
process.exit(seen === PICTURES ? 0 : 1)
