// The robot in space, by its file of glTF and its state: its shapes, the things around it, what its rays meet, where it was, and its control
// frames, which are dragged. three.js draws it, where the build had it.
import { el, panel, put } from "./element.js"
import { Goal } from "./hold.js"

const REST = 4                              // of a drawing's time
const LOOK = 2000                           // ms between two looks at things that move
const TRAIL = 2000, STEP = 0.02, CELLS = 20 // points, m apart; of the floor, each way
const BLUE = 0x1a73e8, RED = 0xd93025
const SETPOINT = 1
const FINGER = 24, MOUSE = 12                // pixels beside a control frame by which it is taken

// What a file of glTF has (docs/robots.md); z is up here.
async function file_of(name) {
  const { GLTFLoader } = await import("./three.GLTFLoader.js")
  const all = (await new GLTFLoader().loadAsync(`/${encodeURIComponent(name)}.glb`)).scene.children[0]
  all.rotation.set(0, 0, 0)
  return all
}

// The things of the world, if the server has any; those that physics moves are looked at again and again.
async function show_world(space, changed) {
  const world = await file_of("world").catch(() => null)
  if (!world) return
  space.add(world)
  changed()
  if (!world.children.some(thing => thing.userData.moves)) return
  setInterval(async () => {
    const now = document.hidden ? null : await file_of("world").catch(() => null)
    if (now?.children.length !== world.children.length) return
    now.children.forEach((thing, k) => {
      world.children[k].position.copy(thing.position)
      world.children[k].quaternion.copy(thing.quaternion)
    })
    changed()
  }, LOOK)
}

// The robot by its file: [objects by link, the robot, pose(state)].
async function robot_of(THREE, name) {
  const robot = await file_of(name), links = [], dofs = []
  robot.traverse(node => {
    const { link, dof, axis } = node.userData
    if (link !== undefined) links[link] = node
    if (dof !== undefined) dofs[dof] = [node, new THREE.Vector3(...axis)]
  })
  return [links, robot, state => {
    dofs.forEach(([node, axis], k) => {
      if (node.userData.type === "prismatic") node.position.copy(axis).multiplyScalar(state.position[k])
      else node.quaternion.setFromAxisAngle(axis, state.position[k])
    })
    if (![...state.pose, ...state.attitude].some(x => x !== 0)) return // it stands where its description has it
    if (links[0].parent !== robot) robot.add(links[0])                 // its pose is that behind its own dofs
    links[0].position.set(...state.pose)
    links[0].rotation.set(...state.attitude, "ZYX")
  }]
}

// Points in the world at which rays of range sensors end.
function rays_of(THREE, op, body, links) {
  const sensors = body.sensor.filter(s => ["laser", "sonar", "infrared"].includes(s.kind)), most = sensors.reduce((n, s) => n + Math.max(1, s.count), 0)
  const points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: RED, size: 5, sizeAttenuation: false }))
  const at = new THREE.BufferAttribute(new Float32Array(3 * most), 3), place = new THREE.Object3D(), p = new THREE.Vector3()
  points.geometry.setAttribute("position", at)
  points.frustumCulled = false
  return [points, () => {
    let n = 0
    for (const sensor of sensors) {
      const values = op.readings[sensor.name]?.values ?? [], link = links[sensor.link]
      place.position.set(...sensor.position)
      place.rotation.set(...sensor.attitude, "ZYX")
      place.updateMatrix()
      values.forEach((r, k) => {
        if (r === null || r >= sensor.high || n >= most) return // nothing is there
        const angle = values.length > 1 ? sensor.fov * (k / (values.length - 1) - 0.5) : 0
        p.set(r * Math.cos(angle), r * Math.sin(angle), 0).applyMatrix4(place.matrix).applyMatrix4(link.matrixWorld)
        at.setXYZ(n++, p.x, p.y, p.z)
      })
    }
    points.geometry.setDrawRange(0, n)
    at.needsUpdate = true
  }]
}

// Where the root has been.
function trail_of(THREE) {
  const at = new THREE.BufferAttribute(new Float32Array(3 * TRAIL), 3), line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: BLUE }))
  let n = 0, last = null
  line.geometry.setAttribute("position", at)
  line.frustumCulled = false
  return [line, ([x, y, z]) => {
    if (last && Math.hypot(x - last[0], y - last[1], z - last[2]) < STEP) return
    last = [x, y, z]
    if (n === TRAIL) at.array.copyWithin(0, 3)
    n = Math.min(n + 1, TRAIL)
    at.setXYZ(n - 1, x, y, z + 0.005)
    line.geometry.setDrawRange(0, n)
    at.needsUpdate = true
  }]
}

// The floor, around the robot; of short lines, since a long one that ends behind the eye is not drawn everywhere.
function floor_of(THREE, cell) {
  const ends = []
  for (let i = -CELLS; i <= CELLS; i++) {
    for (let k = -CELLS; k < CELLS; k++) ends.push(i, k, 0, i, k + 1, 0, k, i, 0, k + 1, i, 0)
  }
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(ends.map(v => v * cell), 3))
  const grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x8a929e, transparent: true, opacity: 0.5 }))
  return [grid, ([x, y]) => grid.position.set(Math.round(x / cell) * cell, Math.round(y / cell) * cell, 0)]
}

export async function scene(op, body) {
  const THREE = await import("./three.module.min.js").catch(() => null)
  if (!THREE) return null
  const canvas = el("canvas", { class: "drags", tabIndex: 0, role: "img", "aria-label": "the robot in space; drag to look from elsewhere" })
  let renderer
  try {
    renderer = new THREE.WebGLRenderer({ canvas, antialias: true })
  } catch {
    return null // no WebGL
  }
  const made = await robot_of(THREE, op.name).catch(() => null)
  if (!made) return null
  const space = new THREE.Scene(), eye = new THREE.PerspectiveCamera(45, 4 / 3, 0.05, 200), [links, robot, pose] = made
  const [rays, see] = rays_of(THREE, op, body, links), [trail, go] = trail_of(THREE), root = new THREE.Vector3()
  const said = el("p", { class: "hints", role: "status" })
  const dark = matchMedia("(prefers-color-scheme: dark)")
  eye.up.set(0, 0, 1)
  if (op.state) pose(op.state)
  const box = new THREE.Box3().setFromObject(robot), size = Math.max(0.25, box.getSize(root).length()), middle = links[0].worldToLocal(box.getCenter(new THREE.Vector3())).z
  const [grid, lay] = floor_of(THREE, size > 0.7 ? 0.5 : 0.1), sun = new THREE.DirectionalLight(0xffffff, 2)
  sun.position.set(3, 2, 6)
  space.add(robot, rays, trail, grid, sun, new THREE.HemisphereLight(0xffffff, 0x707070, 1.6))

  // control frames, and the balls that drag them
  const frames = body.frame.slice(1).map(frame => {
    const axes = new THREE.AxesHelper(size * 0.08), ball = new THREE.Mesh(new THREE.SphereGeometry(size * 0.03, 16, 12),
      new THREE.MeshBasicMaterial({ color: BLUE, transparent: true, opacity: 0.8, depthTest: false }))
    axes.position.set(...frame.position)
    axes.rotation.set(...frame.attitude, "ZYX")
    if (frame.servo & SETPOINT) axes.add(ball)
    links[frame.link].add(axes)
    return { frame, ball, axes }
  })

  // ---- the eye ----

  let round = 0.7, high = 0.5, far = size * (body.base_speed[0] > 0 ? 1.9 : 1.3), is_new = true
  show_world(space, () => { is_new = true })
  const aim = () => {
    links[0].getWorldPosition(root)
    eye.position.set(root.x + far * Math.cos(high) * Math.cos(Math.PI + round), root.y + far * Math.cos(high) * Math.sin(Math.PI + round), root.z + middle + far * Math.sin(high))
    eye.lookAt(root.x, root.y, root.z + middle)
  }
  const ray = new THREE.Raycaster(), plane = new THREE.Plane(), met = new THREE.Vector3(), apart = new THREE.Vector3()
  const point = event => {
    const box = canvas.getBoundingClientRect()
    ray.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height), eye)
  }
  let dragged = null
  // Inverse kinematics is the robot's: its answer shows where it does not get.
  const goal = new Goal(op, canvas, async ([hand, position]) => {
    const answer = await op.drive(robot => robot.set_frame(hand.frame.name, { free: 1, position, attitude: [0, 0, 0] })), off = answer?.position_error ?? 0
    hand.ball.material.color.set(off > 0.002 ? RED : BLUE)
    put(said, off > 0.002 ? `${hand.frame.name}: out of reach by ${(100 * off).toFixed(1)} cm` : "")
  })
  canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId)
    const { left, top } = canvas.getBoundingClientRect(), most = event.pointerType === "touch" ? FINGER : MOUSE
    const near = frames.filter(h => h.frame.servo & SETPOINT).map(hand => {
      const { x, y } = canvas.place_of(hand.frame.name)
      return { hand, off: Math.hypot(x + left - event.clientX, y + top - event.clientY) }
    }).filter(one => one.off < most).sort((a, b) => a.off - b.off)[0]
    dragged = near?.hand ?? null
    if (!dragged) return
    const at = dragged.axes.getWorldPosition(new THREE.Vector3())
    plane.setFromNormalAndCoplanarPoint(eye.getWorldDirection(new THREE.Vector3()), at)
    point(event)
    if (ray.ray.intersectPlane(plane, met)) apart.subVectors(at, met) // it does not jump to the pointer
  }
  canvas.onpointermove = event => {
    if (!canvas.hasPointerCapture(event.pointerId)) return
    is_new = true
    if (!dragged) {
      round -= event.movementX * 0.01
      high = Math.max(-0.2, Math.min(1.5, high + event.movementY * 0.01))
      return
    }
    point(event)
    if (ray.ray.intersectPlane(plane, met)) goal.set([dragged, links[0].worldToLocal(met.clone().add(apart)).toArray()])
  }
  canvas.onpointerup = canvas.onpointercancel = () => { dragged = null }
  canvas.addEventListener("wheel", event => {
    event.preventDefault()
    far = Math.max(size * 0.4, Math.min(50, far * (event.deltaY > 0 ? 1.1 : 0.9)))
    is_new = true
  }, { passive: false })
  canvas.onkeydown = event => {
    const way = { "[": [0.1, 0], "]": [-0.1, 0], "{": [0, 0.1], "}": [0, -0.1] }[event.key]
    if (!way) return
    round += way[0]
    high = Math.max(-0.2, Math.min(1.5, high + way[1]))
    is_new = true
  }

  op.on("state", state => {
    pose(state)
    space.updateMatrixWorld()
    see()
    go(state.pose)
    lay(state.pose)
    is_new = true
  })
  let next = 0, drawn = 0
  const draw = now => {
    requestAnimationFrame(draw)
    if (drawn > 0) next = drawn + REST * (now - drawn) // a slow drawing gets its share of the time, so that driving has the rest
    drawn = 0
    const { clientWidth: w, clientHeight: h } = canvas
    if (!is_new || w === 0 || now < next) return
    is_new = false
    drawn = now
    renderer.setPixelRatio(Math.min(2, devicePixelRatio))
    renderer.setSize(w, h, false)
    renderer.setClearColor(dark.matches ? 0x14171c : 0xf3f4f6)
    eye.aspect = w / h
    eye.updateProjectionMatrix()
    aim()
    renderer.render(space, eye)
  }
  requestAnimationFrame(draw)
  // where a control frame is, in the root link's frame and on the canvas
  canvas.place_of = name => {
    const at = frames.find(h => h.frame.name === name).axes.getWorldPosition(new THREE.Vector3()), { x, y } = at.clone().project(eye)
    return { position: links[0].worldToLocal(at).toArray(), x: (x + 1) * canvas.clientWidth / 2, y: (1 - y) * canvas.clientHeight / 2 }
  }
  return panel("Space", canvas, said)
}
