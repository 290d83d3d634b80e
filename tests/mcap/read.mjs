// Reads files of MCAP by @mcap/core: node read.mjs MODULES FILE… Prints for each file a line of what its index has, and
// checks every message against a reading as a stream. --write FILE writes one of its own.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, ...files] = process.argv.slice(2);
const require = createRequire(resolve(modules, "x.js"));
const { McapIndexedReader, McapStreamReader, McapWriter, TempBuffer } = require("@mcap/core");
const { loadDecompressHandlers } = require("@mcap/support");
const decompressHandlers = await loadDecompressHandlers();

const text = (bytes) => Buffer.from(bytes).toString("latin1");
const same = (m) => [m.channelId, m.sequence, m.logTime, m.publishTime, text(m.data)].join(" ");

async function read(file) {
  const bytes = readFileSync(file);
  const reader = await McapIndexedReader.Initialize({ readable: new TempBuffer(bytes), decompressHandlers });
  const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const streamed = [], indexed = [];
  stream.append(bytes);
  for (let r; (r = stream.nextRecord());) if (r.type === "Message") streamed.push(same(r));
  if (!stream.done()) throw new Error(`${file}: the stream has not ended`);
  for await (const m of reader.readMessages()) indexed.push(same(m));
  if (indexed.sort().join("\n") !== streamed.sort().join("\n")) throw new Error(`${file}: other messages in the index`);
  const statistics = reader.statistics;
  for (const [id, n] of statistics.channelMessageCounts) {
    const got = streamed.filter((m) => m.startsWith(`${id} `)).length;
    if (BigInt(got) !== n) throw new Error(`${file}: ${got} messages of channel ${id}, ${n} in the statistics`);
  }
  let extra = "";
  for await (const a of reader.readAttachments()) extra += ` ${a.name}=${text(a.data)}`;
  for await (const m of reader.readMetadata()) extra += ` ${m.name}=${[...m.metadata].join()}`;
  const topics = [...reader.channelsById.values()].map((c) => c.topic);
  console.log(`${file.replace(/.*\//, "")}: ${streamed.length} of ${statistics.messageCount} messages,`,
    `${reader.chunkIndexes.length} chunks, ${topics.sort().join(" ")}${extra}`);
}

// Without compression, with two chunks, an attachment and metadata.
async function write(file) {
  const parts = [];
  let at = 0n;
  const writable = { position: () => at, write: async (b) => { parts.push(Buffer.from(b)); at += BigInt(b.length); } };
  const writer = new McapWriter({ writable, chunkSize: 200 });
  const utf8 = (s) => new TextEncoder().encode(s);
  await writer.start({ profile: "", library: "other" });
  const schemaId = await writer.registerSchema({ name: "X", encoding: "jsonschema", data: utf8('{"type":"object"}') });
  const channelId = await writer.registerChannel({ topic: "/x", schemaId, messageEncoding: "json",
    metadata: new Map([["a", "b"]]) });
  for (let i = 0; i < 20; i++) {
    await writer.addMessage({ channelId, sequence: i, logTime: BigInt(i) * 100000000n, publishTime: 0n,
      data: utf8(`{"x":${i}}`) });
  }
  await writer.addAttachment({ name: "a", mediaType: "text/plain", logTime: 0n, createTime: 0n, data: utf8("hello") });
  await writer.addMetadata({ name: "m", metadata: new Map([["k", "v"]]) });
  await writer.end();
  writeFileSync(file, Buffer.concat(parts));
}

if (files[0] === "--write") await write(files[1]);
else for (const file of files) await read(file);
