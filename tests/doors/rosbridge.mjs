// Clients of roslib for tests/e2e/rosbridge.sh: node rosbridge.mjs URL WHAT, beside node_modules. Prints what it has seen, a line each.
import { Ros, Topic, Service, Param, UrdfModel } from "roslib"

const [url, what] = process.argv.slice(2)
const say = (...words) => console.log(...words)
const come = async () => {
  const ros = new Ros({ url })
  ros.on("error", () => say("refused"))
  await new Promise(done => ros.on("connection", done))
  ros.transport.on("message", m => { if (m.op === "status") say("status", m.level, m.msg) })
  return ros
}
const next = (ros, name, messageType, good = () => true, options = {}) => new Promise(done => {
  const topic = new Topic({ ros, name, messageType, ...options })
  topic.subscribe(m => {
    if (!good(m)) return
    topic.unsubscribe()
    done(m)
  })
})
const call = (ros, name, args = {}) => new Promise((done, lose) =>
  new Service({ ros, name, serviceType: "std_srvs/Trigger" }).callService(args, done, e => lose(new Error(e))))
const drive = (ros, name, type, msg) => {
  const topic = new Topic({ ros, name, messageType: type })
  const timer = setInterval(() => topic.publish(msg), 50)
  return () => clearInterval(timer)
}
const x_of = m => m.pose.pose.position.x

const tests = {
  // the first robot by the types of ROS 1, the second one by those of ROS 2 and its name
  async drive() {
    const ros = await come()
    let end = drive(ros, "/cmd_vel", "geometry_msgs/Twist", { linear: { x: 0.3, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } })
    let m = await next(ros, "/odom", "nav_msgs/Odometry", m => x_of(m) > 0.2)
    say("odom", m.header.frame_id, m.child_frame_id, m.header.stamp.secs > 1.7e9, m.twist.twist.linear.x.toFixed(1))
    end()
    await next(ros, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x === 0)
    say("silence stops it")
    end = drive(ros, "/second/cmd_vel", "geometry_msgs/msg/TwistStamped", { header: {}, twist: { linear: { x: 0 }, angular: { z: 0.5 } } })
    m = await next(ros, "/second/odom", "nav_msgs/msg/Odometry", m => m.pose.pose.orientation.z > 0.1)
    say("second", m.header.stamp.sec > 1.7e9, m.twist.twist.angular.z.toFixed(1))
    end()
    ros.close()
  },

  async look() {
    const ros = await come()
    const tf = await next(ros, "/tf", "tf2_msgs/msg/TFMessage")
    say("tf", tf.transforms.map(t => t.header.frame_id + ">" + t.child_frame_id).join(" "))
    const joints = await next(ros, "/joint_states", "sensor_msgs/JointState")
    say("joints", joints.name.join(" "), joints.position.length)
    const scan = await next(ros, "/scan", "sensor_msgs/LaserScan")
    say("scan", scan.ranges.length, scan.range_max, scan.angle_min.toFixed(2))
    const picture = await next(ros, "/camera/image/compressed", "sensor_msgs/CompressedImage")
    say("picture", picture.format, Buffer.from(picture.data, "base64").subarray(0, 3).toString("hex"))
    const urdf = (await next(ros, "/robot_description", "std_msgs/msg/String")).data
    const model = new UrdfModel({ string: urdf })
    say("model", model.name, joints.name.every(n => n in model.joints), tf.transforms.some(t => t.child_frame_id in model.links))
    await new Promise(done => new Param({ ros, name: "/robot_description" }).get(text => { say("param", text === urdf); done() }))
    await new Promise(done => ros.getTopics(r => { say("topics", r.topics.length === r.types.length, r.topics.includes("/second/odom")); done() }))
    await new Promise(done => ros.getServices(list => { say("services", list.join(" ")); done() }))
    await new Promise(done => ros.getTopicType("/odom", type => { say("type", type); done() }))
    ros.close()
  },

  // one that asks for a message each half second gets so many
  async throttle() {
    const ros = await come(), came = []
    await new Promise(done => new Topic({ ros, name: "/odom", messageType: "nav_msgs/Odometry", throttle_rate: 500, queue_length: 1 }).subscribe(() => {
      came.push(performance.now())
      if (came.length === 4) done()
    }))
    say("throttled", came.slice(1).every((t, i) => t - came[i] > 250), came[3] - came[0] > 1250)
    ros.close()
  },

  async stop() {
    const one = await come(), other = await come()
    let end = drive(one, "/cmd_vel", "geometry_msgs/Twist", { linear: { x: 0.2 } })
    await next(one, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x > 0.1)
    say("stop", (await call(other, "/stop")).success)
    await next(one, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x === 0)
    await new Promise(done => setTimeout(done, 500))
    say("held", (await next(one, "/odom", "nav_msgs/Odometry")).twist.twist.linear.x)
    say("resume", (await call(one, "/resume")).success)
    await next(one, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x > 0.1)
    say("panic", (await call(other, "/panic")).success)
    await next(one, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x === 0)
    let reset
    do reset = await call(one, "/reset"); while (reset.message.startsWith("stale")) // until it has read of the panic
    say("reset", reset.success)
    say("own", (await call(one, "/panic")).success, (await call(one, "/reset")).success)
    end()
    await new Promise(done => setTimeout(done, 600))
    end = drive(one, "/cmd_vel", "geometry_msgs/Twist", { linear: { x: 0.2 } })
    await next(one, "/odom", "nav_msgs/Odometry", m => m.twist.twist.linear.x > 0.1)
    end()
    one.close()
    other.close()
  },

  async wrong() {
    const ros = await come()
    const topic = new Topic({ ros, name: "/fly", messageType: "geometry_msgs/Twist" })
    topic.advertise()
    new Topic({ ros, name: "/odom", messageType: "std_msgs/String" }).subscribe(() => say("never"))
    new Topic({ ros, name: "/tf", messageType: "tf2_msgs/TFMessage", compression: "cbor" }).subscribe(() => say("never"))
    ros.callOnConnection({ op: "fragment", data: "x" })
    await call(ros, "/fly").catch(e => say("no service:", e.message))
    ros.close()
  },
}

setTimeout(() => { say("it takes too long"); process.exit(1) }, 1000 * (process.env.ROBOTALK_PATIENCE || 300)).unref()
await tests[what]()
