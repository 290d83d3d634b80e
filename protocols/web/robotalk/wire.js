// Bytes of RoboTalk: tables of fields, and values by them. Numbers are in SI units, instants in seconds.
import * as made from "./messages.js"

const { SCALE } = made, LEAST = -2147483648, TWO32 = 4294967296
const TEXT = new TextEncoder(), TEXTS = new TextDecoder()

export class RoboTalkError extends Error {
  constructor(message, code) {
    super(message)
    Object.assign(this, { name: "RoboTalkError", code })
  }
}

// ---- tables ----

// NAME:CODE[*COUNT][?][!] of each field.
function fields(text) {
  return text.trim().split(/\s+/).filter(Boolean).map(word => {
    const [, name, code, count, optional, none] = /^(\w+):(\w+?)(?:\*(\w+))?(\?)?(!)?$/.exec(word)
    return { name, code, count: /^\d+$/.test(count) ? Number(count) : count, optional, none }
  })
}

// NAME NUMBER FIELDS > FIELDS of each line, by name and by number.
function table(text) {
  const out = {}
  for (const line of text.trim().split("\n")) {
    const [, name, number, request, , reply] = /^(\w+) (\d+)([^>]*)(>(.*))?$/.exec(line)
    out[name] = out[number] = { name, number: Number(number), request: fields(request), reply: fields(reply ?? "") }
  }
  return out
}

export const [QUERIES, COMMANDS, NOTICES, RECORDS] = [made.QUERIES, made.COMMANDS, made.NOTICES, made.RECORDS].map(table)
export const [HEAD, ENTRY, RESULT, MISSED, PART, BLOCK, ROBOT] =
  [made.HEAD, made.ENTRY, made.RESULT, made.MISSED, made.PART, made.BLOCK, made.ROBOT].map(fields)

// ---- bytes ----

const GET = {
  B: (v, at) => v.getUint8(at), H: (v, at) => v.getUint16(at), I: (v, at) => v.getUint32(at), v: (v, at) => v.getInt32(at) / SCALE.v,
}
const BYTES = { B: 1, H: 2, I: 4, v: 4, s: 2, k: 1 }
const bytes_of = code => code[0] === "c" ? Number(code.slice(1)) : BYTES[code] ?? 8

// A number of 8 bytes; null: the least one, which means none.
function get64(view, at, code) {
  const high = code === "Q" ? view.getUint32(at) : view.getInt32(at), low = view.getUint32(at + 4)
  return high === LEAST && low === 0 ? null : (high * TWO32 + low) / SCALE[code]
}

// The fields of a body between two places of a view, and where they end: [object, at].
export function decode(rows, view, at = 0, end = view.byteLength) {
  let missing = false
  const out = {}, raw = (from, n) => new Uint8Array(view.buffer, view.byteOffset + from, n)
  for (const f of rows) {
    const many = f.count !== undefined, n = many ? out[f.count] ?? f.count : 1
    missing ||= f.optional && at >= end
    if (missing) {
      out[f.name] = many ? [] : f.code[0] === "c" || f.code === "s" ? "" : 0
    } else if (f.code === "s" || f.code[0] === "c") {
      const length = f.code === "s" ? view.getUint16(at) : bytes_of(f.code), from = f.code === "s" ? at + 2 : at
      out[f.name] = TEXTS.decode(raw(from, length)).replace(/\0.*$/s, "")
      at = from + length
    } else if (f.code === "k") {
      const wide = view.getUint8(at++)
      const value = k => wide === 8 ? get64(view, at + 8 * k, "m") : view.getInt32(at + 4 * k) === LEAST ? null : GET.v(view, at + 4 * k)
      out[f.name] = Array.from({ length: n }, (_, k) => value(k))
      at += wide * n
    } else if (many && f.code === "B") {
      out[f.name] = raw(at, n)
      at += n
    } else {
      const wide = bytes_of(f.code), one = GET[f.code] ?? get64
      const values = Array.from({ length: n }, (_, k) => one(view, at + wide * k, f.code))
      out[f.name] = many ? values : values[0]
      at += wide * n
    }
  }
  return [out, at]
}

// The view itself would take another number for one that has no room.
function in_range(count) {
  if (count > LEAST && count < -LEAST) return count
  throw new RoboTalkError("a value is no number, or too large", "ERANGE")
}

function set64(view, at, value, code, none) {
  if (typeof value === "bigint") return view.setBigUint64(at, value)
  const missing = none && (value === undefined || value === null || value === Infinity)
  const count = missing ? LEAST * TWO32 : Math.round((value ?? 0) * SCALE[code])
  if (!Number.isFinite(count)) throw new RoboTalkError("a value is not a number", "ERANGE")
  view.setInt32(at, Math.floor(count / TWO32))
  view.setUint32(at + 4, count - Math.floor(count / TWO32) * TWO32)
}

// Bytes that grow.
export class Writer {
  view = new DataView(new ArrayBuffer(256))
  at = 0

  room(n) {
    const from = this.at
    this.at += n
    if (this.at > this.view.byteLength) {
      const more = new Uint8Array(2 * this.at)
      more.set(new Uint8Array(this.view.buffer))
      this.view = new DataView(more.buffer)
    }
    return from
  }

  put(code, value, none) {
    if (code === "s") {
      const text = TEXT.encode(value ?? "")
      this.put("H", text.length)
      return this.append(text)
    }
    const at = this.room(bytes_of(code))
    if (code === "B") this.view.setUint8(at, value ?? 0)
    else if (code === "H") this.view.setUint16(at, value ?? 0)
    else if (code === "I") this.view.setUint32(at, value ?? 0)
    else if (code === "v") this.view.setInt32(at, in_range(Math.round((value ?? 0) * SCALE.v)))
    else set64(this.view, at, value, code, none)
  }

  fields(rows, values) {
    for (const f of rows) {
      const value = values[f.name], n = f.count === undefined ? 1 : values[f.count] ?? f.count
      for (let k = 0; k < (typeof n === "number" ? n : 0); k++) this.put(f.code, f.count === undefined ? value : value?.[k], f.none)
    }
    return this
  }

  append(bytes) {
    const at = this.room(bytes.length)
    new Uint8Array(this.view.buffer).set(bytes, at)
  }

  bytes() { return new Uint8Array(this.view.buffer, 0, this.at) }

  // A body of a command or a query, which write() writes, behind its head.
  entry(op, id, write) {
    const body = new Writer()
    write(body)
    this.fields(ENTRY, { op, size: body.at, id }).append(body.bytes())
  }
}

// Numbers as the mask of a field: bit n of byte k is number 8k + n.
export function mask_of(numbers) {
  const mask = []
  for (const n of numbers) {
    while (mask.length <= n >> 3) mask.push(0)
    mask[n >> 3] |= 1 << (n & 7)
  }
  return { bytes: mask.length, mask }
}
