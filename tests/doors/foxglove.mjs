// A client of @foxglove/ws-protocol for tests/e2e/foxglove.sh: node foxglove.mjs URL WHAT, beside node_modules. Prints what it has seen, a line each.
import foxglove from "@foxglove/ws-protocol"
import WebSocket from "ws"

const [url, what] = process.argv.slice(2)
const say = (...words) => console.log(...words)
const text = data => JSON.parse(new TextDecoder().decode(data))

// A client whose channels are known: once those with these names are there.
const come = async names => {
  const client = new foxglove.FoxgloveClient({ ws: new WebSocket(url, [foxglove.FoxgloveClient.SUPPORTED_SUBPROTOCOL]) })
  const channels = new Map(), waiting = new Map()
  client.on("error", e => say("error", e.message))
  client.on("status", s => say("status", s.level, s.message))
  client.on("message", m => waiting.get(m.subscriptionId)?.(text(m.data), m.timestamp))
  const info = new Promise(done => client.on("serverInfo", done))
  await new Promise(done => client.on("advertise", list => {
    for (const c of list) channels.set(c.topic, c)
    if (names.every(n => channels.has(n))) done()
  }))
  const next = (topic, good = () => true) => new Promise(done => {
    const id = client.subscribe(channels.get(topic).id)
    waiting.set(id, (message, time) => {
      if (!waiting.has(id) || !good(message)) return
      waiting.delete(id)
      client.unsubscribe(id)
      done({ message, time })
    })
  })
  return { client, channels, next, info: await info }
}

const tests = {
  async look() {
    const { client, channels, next, info } = await come(["/robot_description", "/pioneer2_laser/frames", "/pioneer2_laser/camera/camera",
      "/pioneer2_laser/sensor/laser/scan", "/pioneer2_laser/odometry", "/pioneer2_laser/joints", "/pioneer2_laser/log"])
    say("server", info.name, info.capabilities.length, info.sessionId.length > 8)
    say("schemas", [...channels.values()].every(c => c.encoding === "json" && JSON.parse(c.schema).type === "object"))
    for (const topic of ["frames", "camera/camera", "sensor/laser/scan", "odometry", "joints", "log"])
      say(topic, channels.get("/pioneer2_laser/" + topic).schemaName)
    const frames = await next("/pioneer2_laser/frames")
    say("frames", frames.message.transforms.map(t => t.child_frame_id).join(" "), Math.abs(Number(frames.time) / 1e6 - Date.now()) < 60000)
    const picture = await next("/pioneer2_laser/camera/camera")
    say("picture", picture.message.format, Buffer.from(picture.message.data, "base64").subarray(0, 3).toString("hex"))
    say("scan", (await next("/pioneer2_laser/sensor/laser/scan")).message.ranges.length)
    say("urdf", (await next("/robot_description")).message.data.includes('<link name="pioneer2_laser/base">'))
    client.advertise({ topic: "/cmd_vel", encoding: "json", schemaName: "geometry_msgs/Twist" })
    await new Promise(done => client.on("status", done))
    client.close()
  },

  async drive() {
    const { client, next, info } = await come(["/pioneer2_laser/odometry", "/pioneer2_laser/log"])
    say("server", info.capabilities.join(), info.supportedEncodings.join())
    const id = client.advertise({ topic: "/cmd_vel", encoding: "json", schemaName: "geometry_msgs/Twist" })
    const data = new TextEncoder().encode(JSON.stringify({ linear: { x: 0.3, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } }))
    const timer = setInterval(() => client.sendMessage(id, data), 50)
    say("drives", (await next("/pioneer2_laser/odometry", m => m.linear_velocity.x > 0.29)).message.body_frame_id)
    clearInterval(timer)
    const log = next("/pioneer2_laser/log")
    await next("/pioneer2_laser/odometry", m => m.linear_velocity.x === 0)
    say("silence stops it")
    client.close()
    void log
  },

  async names() {
    for (const names of [["foxglove.sdk.v1"], ["foxglove.websocket.v1"], ["foxglove.websocket.v1", "foxglove.sdk.v1"], ["other"]])
      await new Promise(done => {
        const ws = new WebSocket(url, names)
        ws.on("open", () => { say(names.join(), "gives", ws.protocol); ws.close(); done() })
        ws.on("unexpected-response", (_, reply) => { say(names.join(), "gives", reply.statusCode); done() })
        ws.on("error", () => {})
      })
  },
}

setTimeout(() => { say("it takes too long"); process.exit(1) }, 1000 * (process.env.ROBOTALK_PATIENCE || 300)).unref()
await tests[what]()
