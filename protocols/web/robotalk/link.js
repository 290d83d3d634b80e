// One connection of a page: the server's clock, packages out and in, and what waits for an answer.
import { ERRORS, HEADER, MAGIC, MOST, REASONS, SIGNALS, TYPE, VERSION } from "./messages.js"
import { COMMANDS, decode, ENTRY, HEAD, MISSED, NOTICES, PART, QUERIES, RESULT, RoboTalkError, Writer } from "./wire.js"

const clock = () => performance.now() / 1000
// s. SYNC: between questions for the clock; BEAT: between signs of life of a page that drives, of which any package is one; DRIFT: of
// two clocks, a second. SILENT: questions after which a link is lost by which nothing comes.
const SYNC = 1, BEAT = 0.05, DRIFT = 200e-6, SAMPLES = 8, SILENT = 5
const REFUSED = 1008 // the code of WebSockets by which the server wants no other connection

export class Link {
  sessions = new Map()
  waiting = new Map() // queries and commands, by their ids
  samples = []        // of the server's clock
  next = 1
  package = 1
  unheard = 0 // questions since something came
  input = new Uint8Array(0)

  static async open({ url, name = "web page", role = 3, lease, timeout = 10 } = {}) {
    const link = new Link(), at = new URL(url ?? "/robotalk", import.meta.url)
    at.protocol = at.protocol.replace("http", "ws")
    link.socket = new WebSocket(at, "robotalk")
    link.socket.binaryType = "arraybuffer"
    const late = setTimeout(() => link.drop(`no answer within ${timeout} s`), timeout * 1000)
    try {
      await new Promise((open, lose) => {
        link.socket.onopen = open
        link.socket.onclose = event => lose(link.lose(event))
      })
      link.socket.onmessage = event => link.receive(new Uint8Array(event.data))
      link.lease = lease ?? crypto.getRandomValues(new BigUint64Array(1))[0]
      const sent = clock()
      link.server = await link.query("hello", { lowest: VERSION, highest: VERSION, name, role, lease: link.lease })
      link.learn(sent, link.server.now, link.server.now, clock())
      for (let k = 0; k < 3; k++) await link.sync()
    } catch (error) {
      link.close()
      throw error
    } finally {
      clearTimeout(late)
    }
    link.timers = [setInterval(() => link.ask(), SYNC * 1000), setInterval(() => link.beat(), BEAT * 500)]
    return link
  }

  // The connection is over: all that waits is answered.
  lose(event) {
    if (this.why) return this.why
    this.why = new RoboTalkError(event.reason || "the connection has ended", "ELINK")
    this.why.refused = event.code === REFUSED
    for (const timer of this.timers ?? []) clearInterval(timer)
    for (const one of this.waiting.values()) one.lose(this.why)
    this.waiting.clear()
    for (const session of this.sessions.values()) session.lose(this.why)
    return this.why
  }

  close() { this.socket.close() }

  // The same, without waiting for the server.
  drop(reason) {
    this.close()
    this.lose({ reason })
  }

  ask() {
    if (++this.unheard > SILENT) return this.drop("nothing comes by the link")
    this.sync().catch(() => {})
  }

  // ---- the server's clock ----

  learn(sent, received, replied, now) {
    this.samples.push({ offset: ((received - sent) + (replied - now)) / 2, doubt: ((now - sent) - (replied - received)) / 2, at: now })
    if (this.samples.length > SAMPLES) this.samples.shift()
    this.round_trip = 2 * Math.min(...this.samples.map(s => s.doubt))
    this.jitter = 2 * Math.max(...this.samples.map(s => s.doubt)) - this.round_trip / 2
  }

  async sync() {
    const sent = clock(), reply = await this.query("sync", { sent })
    this.learn(sent, reply.received, reply.replied, clock())
  }

  // The earliest instant that it can be there; null: not known yet.
  earliest() {
    const now = clock(), least = s => s.doubt + DRIFT * (now - s.at)
    const best = this.samples.reduce((a, b) => a && least(a) <= least(b) ? a : b, null)
    return best && now + best.offset - least(best)
  }

  // The server's clock now, as well as it is known.
  now() {
    const now = clock(), best = this.samples.reduce((a, b) => a.doubt + DRIFT * (now - a.at) <= b.doubt + DRIFT * (now - b.at) ? a : b)
    return now + best.offset
  }

  beat() {
    if (clock() - this.sent >= BEAT && [...this.sessions.values()].some(s => s.drives)) this.send(TYPE.none)
  }

  // ---- packages out ----

  send(type, { session, flags = 0, entries = new Writer(), count = 0 } = {}) {
    const id = this.package++, bytes = new Writer(), payload = entries.bytes()
    this.sent = clock()
    const stamp = Math.min(this.earliest() ?? Infinity, this.seen ?? Infinity)
    bytes.fields(HEAD, { magic: MAGIC, version: VERSION, flags, type, revision: type === TYPE.command ? session.revision & 255 : 0, count,
      size: payload.length, id, session: session?.number, epoch: session?.epoch, stops: session?.stops, stamp }).append(payload)
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes.bytes())
    return id
  }

  // Sends a package, or raises: its id.
  must_send(what) {
    if (this.why || this.socket.readyState !== WebSocket.OPEN) throw this.why ?? new RoboTalkError("the connection ends", "ELINK")
    return this.send(TYPE.none, what)
  }

  // receive: of the answers that follow the first, while it returns true; without it there is one.
  query(name, values = {}, session, receive) {
    const { number, request, reply } = QUERIES[name], id = this.next++
    if (this.why) return Promise.reject(this.why)
    const entries = new Writer()
    entries.entry(number, id, w => w.fields(request, values))
    const answer = new Promise((done, lose) => {
      this.waiting.set(id, { rows: reply, done, lose, receive, session })
    })
    answer.id = id
    this.send(TYPE.query, { session, entries, count: 1 })
    return answer
  }

  // ---- packages in ----

  receive(bytes) {
    if (this.input.length > 0) {
      const all = new Uint8Array(this.input.length + bytes.length)
      all.set(this.input)
      all.set(bytes, this.input.length)
      bytes = all
    }
    let at = 0
    this.unheard = 0
    while (bytes.length - at >= HEADER) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at), [head] = decode(HEAD, view)
      if (head.magic !== MAGIC || head.size > MOST) return this.socket.close(4002, "what comes is no RoboTalk")
      if (bytes.length - at < HEADER + head.size) break
      this.take(view, head)
      at += HEADER + head.size
    }
    this.input = bytes.slice(at)
  }

  take(view, head) {
    const session = this.sessions.get(head.session)
    for (let at = HEADER; at < HEADER + head.size;) {
      const [entry, from] = decode(ENTRY, view, at), body = new DataView(view.buffer, view.byteOffset + from, entry.size)
      const notice = head.type === TYPE.notice && NOTICES[entry.op]
      if (head.type === TYPE.reply) this.reply(entry.id, body, head)
      else if (head.type === TYPE.signal) this.result(entry.id, entry.op, body)
      else if (notice) this.notice(notice.name, decode(notice.reply, body)[0], session)
      at = from + entry.size
    }
  }

  reply(id, body, head) {
    const one = this.waiting.get(id)
    if (!one) return
    const [values] = decode(one.rows, body)
    one.heard = (one.heard ?? 0) + body.byteLength
    if (one.receive?.(values, one, head)) {
      one.done(values)
      return
    }
    this.waiting.delete(id)
    one.done(values)
  }

  result(id, op, body) {
    const one = this.waiting.get(id), [r, at] = decode(RESULT, body)
    this.waiting.delete(id)
    const out = { ...r, command: COMMANDS[op]?.name, signal: SIGNALS[r.signal] ?? String(r.signal), reason: REASONS[r.reason] ?? String(r.reason) }
    if (body.byteLength - at >= 16) {
      const [missed, behind] = decode(MISSED, body, at)
      Object.assign(out, missed, { parts: [] })
      const parts = body.byteLength - behind >= 2 ? body.getUint16(behind) : 0
      for (let k = 0, from = behind + 2; k < parts; k++) {
        const [part, to] = decode(PART, body, from)
        out.parts.push({ ...part, signal: SIGNALS[part.signal], reason: REASONS[part.reason] })
        from = to
      }
    }
    out.ok = out.signal === "success" || out.signal === "modified"
    one?.done(out)
  }

  notice(name, values, session) {
    if (name === "fault") {
      const error = new RoboTalkError(values.text, ERRORS[values.code] ?? String(values.code)), one = this.waiting.get(values.query)
      this.waiting.delete(values.query)
      one?.lose(error)
      for (const s of this.sessions.values()) s.heard_fault(values.package, error)
    } else if (session) {
      session.heard(name, values)
    }
  }
}
