// Files of glTF: node read.mjs FOLDER_OF_NODE_MODULES FILE.glb POSES …. The validator of Khronos reads each, and its nodes are moved by their
// extras: POSES has lines "posture NUMBER …", one for each dof, and "link|frame NUMBER 12 NUMBERS", where it is then, a matrix row by row.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join, resolve } from "node:path"

const [modules, ...files] = process.argv.slice(2)
const { validateBytes } = createRequire(join(resolve(modules), "/"))("gltf-validator")
const BACK = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0] // from y up to z up

// Matrices of 3 rows: rotation, and position behind it.
const product = (a, b) => a.map((_, k) => {
  const row = a.slice(k - k % 4, k - k % 4 + 4)
  return row[0] * b[k % 4] + row[1] * b[4 + k % 4] + row[2] * b[8 + k % 4] + (k % 4 === 3 ? row[3] : 0)
})
const matrix = ({ rotation: [x, y, z, w] = [0, 0, 0, 1], translation: [a, b, c] = [0, 0, 0] }) => [
  1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), a,
  2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), b,
  2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), c]

// Where each node is, by its kind and number.
function places(nodes, root, q) {
  const found = {}
  const visit = (node, above) => {
    const { dof, type, axis, mimic } = node.extras, by = mimic ? mimic.ratio * q?.[mimic.dof] + mimic.shift : q?.[dof]
    const own = dof === undefined || !q ? matrix(node)
      : type === "prismatic" ? matrix({ translation: axis.map(v => v * by) })
        : matrix({ rotation: [...axis.map(v => v * Math.sin(by / 2)), Math.cos(by / 2)] })
    const here = product(above, own)
    found[Object.entries(node.extras)[0].join(" ")] = here
    for (const child of node.children ?? []) visit(nodes[child], here)
  }
  visit(nodes[root], BACK)
  return found
}

for (let i = 0; i < files.length; i += 2) {
  const bytes = readFileSync(files[i]), { issues, info } = await validateBytes(bytes, { maxIssues: 100 })
  for (const one of issues.messages.filter(m => m.severity < 2)) console.log(one.code, one.message, one.pointer ?? "")
  const { nodes, scenes } = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)))
  let found = {}, count = 0, off = 0
  for (const line of readFileSync(files[i + 1], "utf8").trim().split("\n")) {
    const [what, ...rest] = line.split(" "), numbers = rest.map(Number)
    if (what === "posture") found = places(nodes, scenes[0].nodes[0], numbers.some(v => v !== 0) ? numbers : null) // as the file has it, at zero
    else off = Math.max(off, ...numbers.slice(1).map((v, k) => Math.abs(v - found[`${what} ${numbers[0]}`][k])), ++count && 0)
  }
  console.log(`${basename(files[i])}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${nodes.filter(n => n.mesh >= 0).length} shapes of`,
    `${info.drawCallCount} meshes, ${count} places, ${off < 1e-9 ? "as in robotalk" : `${off} off`}`)
}
