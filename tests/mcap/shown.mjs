// Checks messages of files of MCAP against the schemas of Foxglove, and against those in the file: node shown.mjs MODULES FILE… Prints
// for each file how many there are of each schema.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, ...files] = process.argv.slice(2);
const require = createRequire(resolve(modules, "x.js"));
const { McapIndexedReader, TempBuffer } = require("@mcap/core");
const { loadDecompressHandlers } = require("@mcap/support");
const Ajv = require("ajv").default;
const decompressHandlers = await loadDecompressHandlers();
const text = (bytes) => new TextDecoder().decode(bytes);

const known = new Map();
const ajv = new Ajv({ strict: false, validateFormats: false });
for (const schema of Object.values(require("@foxglove/schemas/jsonschema.js")))
  if (schema.title) known.set(schema.title, ajv.compile(schema));

for (const file of files) {
  const reader = await McapIndexedReader.Initialize({ readable: new TempBuffer(readFileSync(file)), decompressHandlers });
  const count = {}, own = new Map();
  for await (const m of reader.readMessages()) {
    const channel = reader.channelsById.get(m.channelId), schema = reader.schemasById.get(channel.schemaId);
    const value = JSON.parse(text(m.data));
    if (!own.has(schema.id)) own.set(schema.id, ajv.compile(JSON.parse(text(schema.data))));
    const checks = [own.get(schema.id)];
    if (schema.name.startsWith("foxglove.")) checks.push(known.get(schema.name));
    for (const check of checks)
      if (!check(value)) throw new Error(`${file}: ${channel.topic}: ${JSON.stringify(check.errors[0])}`);
    count[schema.name] = (count[schema.name] ?? 0) + 1;
  }
  console.log(`${file.replace(/.*\//, "")}: ${Object.keys(count).sort().map((name) => `${name} ${count[name]}`).join(", ")}`);
}
