// The numbers that a robot reports, by name: x, head.pan, head.pan.speed, sonar0, imu[2], …; each a function of what the operator has.
export function signals_of(op, body) {
  const out = new Map(), put = (name, unit, f) => out.set(name, { unit, value: f })
  const parts = [["x", "m", s => s.x], ["y", "m", s => s.y], ["theta", "rad", s => s.theta], ["speed_x", "m/s", s => s.twist[0]],
    ["speed_y", "m/s", s => s.twist[1]], ["spin", "rad/s", s => s.spin[2]], ["voltage", "V", s => s.voltage], ["charge", "ratio", s => s.charge]]
  for (const [name, unit, f] of parts) put(name, unit, () => op.state && f(op.state))
  for (const joint of body.joint) {
    for (const dof of joint.dof) {
      const name = `${joint.name}.${dof.name}`, unit = dof.kind === 0 ? "rad" : "m"
      put(name, unit, () => op.state?.position[dof.number])
      put(`${name}.speed`, unit + "/s", () => op.state?.speed[dof.number])
    }
  }
  for (const sensor of body.sensor) {
    const count = op.readings[sensor.name]?.values.length ?? sensor.count ?? 1
    for (let k = 0; k < Math.max(1, count); k++)
      put(count > 1 ? `${sensor.name}[${k}]` : sensor.name, sensor.unit, () => op.readings[sensor.name]?.values[k])
  }
  return out
}
