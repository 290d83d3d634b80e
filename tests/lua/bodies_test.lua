-- luacheck: no max line length
-- The bodies that come along: what they are made of, where their parts are, and that they convert there and back.
-- Numbers come from the tables that the descriptors name, computed here in another way.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local near = require "tests.lua.near"
local rad = math.rad

local function body(name)
  local d = assert(descriptor.load(name))
  local flat = descriptor.records(d)
  return d, flat, descriptor.model(d)
end

local function mass(flat)
  local sum = 0
  for _, link in ipairs(flat.link) do sum = sum + link.mass end
  return sum
end

-- ---- products of 4 x 4 matrices ----

local function mul(a, b)
  local c = {}
  for i = 1, 4 do
    c[i] = {}
    for j = 1, 4 do
      local x = 0
      for k = 1, 4 do x = x + a[i][k] * b[k][j] end
      c[i][j] = x
    end
  end
  return c
end
local function shift(x, y, z) return { { 1, 0, 0, x }, { 0, 1, 0, y }, { 0, 0, 1, z }, { 0, 0, 0, 1 } } end
local function rz(t)
  local c, s = math.cos(t), math.sin(t)
  return { { c, -s, 0, 0 }, { s, c, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }
end
local function rx(t)
  local c, s = math.cos(t), math.sin(t)
  return { { 1, 0, 0, 0 }, { 0, c, -s, 0 }, { 0, s, c, 0 }, { 0, 0, 0, 1 } }
end
local function chain(...)
  local t = shift(0, 0, 0)
  for _, m in ipairs { ... } do t = mul(t, m) end
  return t
end

local function is_pose(pose, t, tolerance, what)
  near(pose.position, { t[1][4], t[2][4], t[3][4] }, tolerance, what .. " position")
  near(pose.rotation, { t[1][1], t[1][2], t[1][3], t[2][1], t[2][2], t[2][3], t[3][1], t[3][2], t[3][3] }, tolerance,
    what .. " rotation")
end

describe("the bodies", function()
  -- links, dofs, control frames with the root's own, kg
  local counts = {
    pioneer2 = { 2, 2, 2, 10.2 }, pioneer2_fast = { 2, 2, 1, 0 }, pioneer2_player = { 2, 2, 2, 10.2 },
    pioneer2_gripper = { 5, 5, 2, 11.4 }, pioneer2_laser = { 2, 2, 2, 14.7 },
    asimo = { 17, 34, 7, 53.6 },
    puma560_gripper = { 11, 8, 2, 24.18 },
    so101_follower = { 7, 6, 4, 0.632006 }, so101_leader = { 7, 6, 3, 0.657081644179 }, lekiwi = { 7, 6, 4, 2.032006 },
    pan_tilt = { 2, 2, 2, 0.52 }, ros2_base = { 1, 0, 1, 1 },
    puma560 = { 8, 6, 2, 23.45 }, aibo_ers7 = { 13, 18, 7, 1.65 }, aibo_ers210 = { 13, 18, 7, 1.5 }, arm004 = { 8, 7, 2, 14 }, flyer = { 2, 8, 2, 6.2 },
  }
  it("are those that are counted here", function()
    for _, name in ipairs(descriptor.names()) do expect.truthy(counts[name], name .. " has no numbers here") end
  end)
  for name, count in pairs(counts) do
    it("count right: " .. name, function()
      local _, flat = body(name)
      expect.equal(#flat.link, count[1])
      expect.equal(#flat.dof, count[2])
      expect.equal(#flat.frame, count[3])
      expect.truthy(math.abs(mass(flat) - count[4]) < 1e-9, ("mass %g"):format(mass(flat)))
    end)
    it("go over the wire and through a Lua file unchanged: " .. name, function()
      local d = body(name)
      local back = assert(descriptor.from_configuration(descriptor.configuration(d)))
      expect.truthy(descriptor.same(d, back))
      local text = require "robotalk.descriptor.write".write(back)
      local again, why = descriptor.read(text, "again.lua")
      expect.truthy(again, why)
      expect.truthy(descriptor.same(d, again))
      local whole = assert(descriptor.read(require "robotalk.descriptor.write".write(d), "whole.lua"))
      expect.truthy(descriptor.same(d, whole))
    end)
  end
end)

describe("a client", function()
  it("learns every body as it is, piece by piece", function()
    for _, name in ipairs(descriptor.names()) do
      local robot <close> = rt.connect(name)
      local told = robot:describe()
      expect.truthy(descriptor.same(told.descriptor, (assert(descriptor.load(name)))), name)
      expect.truthy(told.joints.root or told.joints.flight, name)
      expect.equal(told.frames.root.number, 0)
    end
  end)
  it("learns one that takes several answers, and asks for single records", function()
    local d = { name = "centipede", base = {}, links = { [0] = { name = "body" } }, joints = {}, frames = {} }
    for i = 1, 60 do
      d.links[i] = { name = "link" .. i, mass = i / 8, inertia = { 1, 1, 1 }, shapes = { { type = "sphere", size = { i } } } }
      d.joints[i] = { name = "joint" .. i, parent = 0, position = { i, 0, 0 }, dofs = { { name = "q", limit = { -i, i } } } }
      d.frames[i] = { name = "frame" .. i, link = i }
    end
    expect.truthy(#descriptor.configuration(d) > 2 * 16384)
    local name = assert(rt.add_robot(d))
    local robot <close> = rt.connect("local:" .. name)
    expect.truthy(descriptor.same(robot:describe().descriptor, d))
    local ask = function(op, number) return robot.client:query(robot.number, op, { number = number }) end
    expect.equal(ask("link", 7).mass, 7 / 8)
    expect.equal(ask("joint", 60).first, 59)
    expect.equal(ask("dof", 59).high, 60)
    expect.equal(ask("frame", 60).name, "frame60")
    for _, op in ipairs { "link", "joint", "frame" } do
      local nothing, _, code = ask(op, 61)
      expect.truthy(not nothing and code == "ENONE", op)
    end
    local _, _, code = robot.client:query(robot.number, "configuration", { offset = 1 << 30 })
    expect.equal(code, "ERANGE")
    robot:close()
    require "robotalk.core".remove_robot(name)
  end)
end)

-- Paper 004, table I: T and the geometric Jacobian (rows x, y, z, then about x, y, z) at three postures, from an
-- independent simulation of the arm.
local ARM004 = {
  { q = { 1.2054066136462387, -0.26893486509096975, 1.577830847610083, 0.8684193278612011, -1.7856196692943422,
      2.092738347201726, 1.149014688757553 },
    T = { -0.9109181465678161, 0.4093688768191568, 0.051432022566458194, 0.21494963920406596, -0.22405165739384533,
      -0.595482864346857, 0.7714927174564472, 0.08748414266210008, 0.34645199533633175, 0.6912432863768622,
      0.6341559224405223, 0.21733923715687625 },
    J = { -1.8665048820029365e-17, -0.2342507450385042, 0.0010762739100952552, 0.006137793052029966,
      -0.24156438037955633, -0.3134921512475901, -5.551115123125783e-17, -0.21733923715687622, 0.17470821286992605,
      -0.3308666216647711, -0.09063918047097135, -0.16317932649066297, 0.18966007263761742, 1.0408340855860843e-17,
      0.08748414266210011, 0.456671424586193, 0.1307602776359656, 0.03211346637031452, 0.21811009216412533,
      -0.2053088598995468, -1.0408340855860843e-17, 1.0, -1.783685143380809e-17, 0.9640544545717711,
      -0.26569816544812863, 0.6213851611451752, -0.6634960679891218, 0.051432022566458194, -6.123233995736766e-17,
      -0.9339845823990852, -0.09493983935388832, -0.3378908832291696, -0.776084911639177, -0.448198701040076,
      0.7714927174564472, 6.123233995736766e-17, 0.3573133076738207, -0.24816413021180714, -0.9029032262142552,
      0.10757644460845223, 0.5990750304836309, 0.6341559224405223 } },
  { q = { -0.6400857402285793, 2.071071307337575, 1.7297329338176701, 1.2248873871245523, -1.343589685451343,
      -0.1464275836010498, -2.0072634305361934 },
    T = { -0.30882560702230977, -0.9481458901204318, 0.07514063810639392, -0.40110067549953543,
      0.43693983939241265, -0.07125730503285219, 0.8966638016732846, 0.8235843917306506, -0.8448137790063766,
      0.3097446811927353, 0.4362887934313422, 0.15903579600611722 },
    J = { -6.01681333844702e-17, -0.565564984663523, 0.5435379529202381, 0.3394291253193711, -0.04171290508075684,
      -0.30605606545101594, 2.7755575615628914e-17, -0.15903579600611722, -0.10194040424617895,
      0.14289383549990292, -0.2893449097356486, 0.022419536130395965, -0.10470143115846475, -1.734723475976807e-18,
      0.8235843917306506, 0.07591268467498584, -0.30559844284729987, 0.5161291801282657, -0.03889270696122792,
      0.2678941864132417, 0.0, 1.0, 4.869316054833175e-17, -0.47966683860456233, 0.8663914329433228,
      -0.03198507700184933, 0.6806930493003102, 0.07514063810639392, -6.123233995736766e-17, 0.597264211040824,
      0.7037545497429686, 0.28533729687544224, 0.8506957634458607, -0.36585374197631376, 0.8966638016732846,
      6.123233995736766e-17, 0.8020445512624483, -0.5240698976846278, -0.40981521681634936, 0.5246843554980937,
      0.6346715781537522, 0.4362887934313422 } },
  { q = { 0.8811664488098963, -0.8255867779190194, 1.4619431261388849, 1.3409631729859282, -0.49509513226723234,
      -0.931356342706926, 0.8029802174898921 },
    T = { -0.6428547436710822, -0.6989313873777873, 0.3134209537949695, 0.1317797650035194, -0.4679395331873517,
      0.0343923852694788, -0.8830910242528112, -0.7324956454984695, 0.6064407405674445, -0.7143613088442268,
      -0.34916693515619773, -0.17967062541687753 },
    J = { 5.585407519833285e-17, 0.6046641617339434, -0.33130706633882684, -0.2631850581318774, 0.3194761098861855,
      0.023657253888965186, 2.7755575615628914e-17, 0.17967062541687756, 0.25817805861357873, -0.10823667589937007,
      -0.08887721457357901, 0.10540711479258862, -0.1468982156766544, 0.0, -0.7324956454984695, 0.3130516055490451,
      -0.30697733486197265, 0.5274511532802805, 0.020180691239741436, 0.39276105785763443, 2.7755575615628914e-17,
      1.0, -2.4966460491529466e-17, 0.6781258324130834, -0.7305959221365611, 0.23223106515698733,
      -0.9479422967091611, 0.3134209537949695, -6.123233995736766e-17, -0.7714815585896205, -0.4676105139914754,
      -0.5127175361101111, -0.8076372398985254, -0.3127616100044835, -0.8830910242528112, 6.123233995736766e-17,
      0.636251683499643, -0.5669971451592071, -0.450943817700836, 0.5420247421521851, -0.05987969119128835,
      -0.34916693515619773 } },
}

describe("the arm of paper 004", function()
  local _, _, model = body "arm004"
  it("is where the reference has it", function()
    for i, r in ipairs(ARM004) do
      local pose = model:fk(r.q, "tool")
      local t = r.T
      near(pose.position, { t[4], t[8], t[12] }, 1e-10, "position " .. i)
      near(pose.rotation, { t[1], t[2], t[3], t[5], t[6], t[7], t[9], t[10], t[11] }, 1e-10, "rotation " .. i)
    end
  end)
  it("moves as the reference has it", function()
    for i, r in ipairs(ARM004) do
      local j = model:jacobian(r.q, "tool")
      for row = 1, 6 do
        near(j[row], table.move(r.J, row * 7 - 6, row * 7, 1, {}), 1e-10, ("J %d row %d"):format(i, row))
      end
    end
  end)
end)

describe("the PUMA 560", function()
  local d, flat, model = body "puma560"
  it("is the product of its Denavit-Hartenberg matrices", function()
    local rows = { { .67183, 0, 90 }, { 0, .4318, 0 }, { .15005, .0203, -90 }, { .4318, 0, 90 }, { 0, 0, -90 },
      { .0563, 0, 0 } }
    for _, q in ipairs { { 0, 0, 0, 0, 0, 0 }, { .3, -.5, .7, .2, -.4, 1 }, { -2, 1.2, -2, 3, 1.5, -3 } } do
      local t = shift(0, 0, 0)
      for i, row in ipairs(rows) do
        t = chain(t, rz(q[i]), shift(0, 0, row[1]), shift(row[2], 0, 0), rx(rad(row[3])))
      end
      is_pose(model:fk(q, "hand"), t, 1e-12, "hand")
    end
  end)
  it("has the toolbox's joint limits and stands on its table", function()
    expect.truthy(math.abs(flat.dof[4].high - rad(170)) < 1e-12)
    expect.equal(flat.link[1].position[3], 0.75)
    expect.equal(flat.joint[8].parent, 65535)
    expect.truthy(not d.base)
  end)
end)

describe("the SO-101", function()
  local _, _, model = body "so101_follower"
  -- gripper_frame_link of so101_new_calib.urdf, whose angles have five decimals: position, and where its z axis points
  local TIP = {
    { q = { 0, 0, 0, 0, 0 }, at = { 0.391361, -0.000009, 0.226470 }, along = { 1, 0, 0 } },
    { q = { .3, -.5, .7, .2, -.4 }, at = { 0.305413, -0.079265, 0.138460 }, along = { 0.879929, -0.272184, -0.389411 } },
    { q = { -1.2, .9, -1.1, 1.4, 2 }, at = { 0.164534, 0.302814, 0.049270 }, along = { 0.131297, 0.337742, -0.932036 } },
  }
  it("is where the published description has it", function()
    for i, posture in ipairs(TIP) do
      local pose = model:fk({ posture.q[1], posture.q[2], posture.q[3], posture.q[4], posture.q[5], 0 }, "tip")
      near(pose.position, posture.at, 2e-5, "position " .. i)
      near({ pose.rotation[3], pose.rotation[6], pose.rotation[9] }, posture.along, 4e-5, "z axis " .. i)
    end
  end)
end)

describe("the AIBO ERS-7", function()
  local _, flat, model = body "aibo_ers7"
  local function at(values)
    local q = {}
    for i = 1, #flat.dof do q[i] = 0 end
    for _, v in ipairs(values) do q[model:index(v[1], v[2])] = v[3] end
    return q
  end
  -- ERS-7.kin, in metres: each row's transform is Rz(angle of the joint before) Tz(d) Tx(r) Rx(alpha)
  local function row(angle, d, alpha, r) return chain(rz(angle), shift(r, 0, d), rx(rad(alpha))) end
  it("has its left front foot where Tekkotsu's chain has it", function()
    for _, q in ipairs { { 0, 0, 0 }, { .5, .3, 1 }, { -1, .8, 2 } } do
      local t = chain(row(0, 0, 90, .065), row(q[1] - rad(90), -.0625, -90, 0), row(q[2], .009, 90, .0695),
        row(q[3] - rad(4.4088), -.0047, 0, .065434))
      local pose = model:fk(at { { "LFr", "rotor", q[1] }, { "LFr", "elvtr", q[2] }, { "LFr_knee", "knee", q[3] } },
        "LFr_foot")
      near(pose.position, { t[1][4], t[2][4], t[3][4] }, 1e-12, "foot")
    end
  end)
  it("has its left back foot where Tekkotsu's chain has it", function()
    for _, q in ipairs { { 0, 0, 0 }, { .5, .3, 1 }, { -1, .8, 2 } } do
      local t = chain(row(0, 0, -90, -.065), row(q[1] + rad(90), .0625, 90, 0), row(q[2], -.009, -90, .0695),
        row(q[3] - rad(11.537), .0047, 180, .067647))
      local pose = model:fk(at { { "LBk", "rotor", q[1] }, { "LBk", "elvtr", q[2] }, { "LBk_knee", "knee", q[3] } },
        "LBk_foot")
      near(pose.position, { t[1][4], t[2][4], t[3][4] }, 1e-12, "foot")
    end
  end)
  it("looks from where Tekkotsu's chain has the camera", function()
    for _, q in ipairs { { 0, 0, 0 }, { -.7, .9, .4 } } do
      local t = chain(row(0, .0195, 90, .0675), row(q[1], 0, -90, 0), row(q[2], .080, 90, 0),
        row(q[3] - rad(90), 0, -90, .0146), row(rad(-90), .08106, 0, 0))
      local pose = model:fk(at { { "neck", "tilt", q[1] }, { "head", "pan", q[2] }, { "head", "nod", q[3] } }, "camera")
      near(pose.position, { t[1][4], t[2][4], t[3][4] }, 1e-12, "camera")
    end
  end)
  it("stands on all four feet", function()
    for _, name in ipairs { "LFr_foot", "RFr_foot", "LBk_foot", "RBk_foot" } do
      local p = model:fk(model:home(), name).position
      near({ p[3] + flat.link[1].position[3] }, { 0.0117 }, 1e-9, name)
    end
  end)
end)

describe("the ASIMO", function()
  local _, flat, model = body "asimo"
  local root = flat.link[1].position[3]
  it("stands with both soles flat on the floor, below its hips", function()
    for name, y in pairs { l_sole = 0.0625, r_sole = -0.0625 } do
      local pose = model:fk(model:home(), name)
      near({ pose.position[1], pose.position[2], pose.position[3] + root }, { 0, y, 0 }, 1e-12, name)
      near(pose.rotation, { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 1e-12, name)
    end
  end)
  it("is 1.30 m tall with straight knees", function()
    local q = {}
    for i = 1, #flat.dof do q[i] = 0 end
    local crown, sole = model:fk(q, "crown").position[3], model:fk(q, "l_sole").position[3]
    near({ crown - sole }, { 1.30 }, 1e-12, "height")
  end)
  it("has hands that reach as far as its arms are long", function()
    local q = {}
    for i = 1, #flat.dof do q[i] = 0 end
    q[model:index("l_shoulder", "pitch")] = rad(-90) -- ahead
    near(model:fk(q, "l_hand").position, { 0.20 + 0.17 + 0.08, 0.165, 0.10 + 0.275 }, 1e-12, "hand")
  end)
end)

describe("a body that walks", function()
  for _, name in ipairs { "aibo_ers7", "aibo_ers210", "asimo" } do
    it("is as fast as its descriptor says, and not asked for more: " .. name, function()
      local robot <close> = rt.connect(name)
      local limit = robot:describe().descriptor.base.speed
      for _, axis in ipairs { "x", "y", "theta" } do
        expect.equal(robot:set_speed { [axis] = limit[axis] }, "SUCCESS")
        rt.sleep(3)
        local before = robot:state()
        rt.sleep(2.4) -- whole periods: the trunk sways
        local after = robot:state()
        local way = axis == "theta" and after.theta - before.theta
          or math.sqrt((after.x - before.x) ^ 2 + (after.y - before.y) ^ 2)
        expect.near(2.4 * limit[axis], math.abs(way), 0.02 * limit[axis], axis)
        expect.equal(robot:set_speed { [axis] = 1.1 * limit[axis] }, "MODIFIED")
        robot:stop()
      end
      expect.equal(robot:set_speed { x = limit.x, theta = limit.theta / 2 }, "MODIFIED") -- they share the legs
      robot:stop()
    end)
  end
end)

describe("one sequence", function()
  it("runs on every body, as far as it can (paper 000, figure 10)", function()
    local experiment = require "experiments.bodies"
    local result = experiment.play_all(require "robotalk", function() end)
    local text = experiment.table_of(result)
    local words = {}
    for _, r in ipairs(result) do words[r.name] = table.concat(r.words, " ") end
    local all = "SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS SUCCESS"
    local arm = "NA SUCCESS NA NA SUCCESS NA NA SUCCESS NA SUCCESS"
    expect.equal(words.pioneer2, (all:gsub("SUCCESS", "MODIFIED", 7):gsub("MODIFIED", "SUCCESS", 6)))
    for _, name in ipairs { "asimo", "aibo_ers7", "flyer" } do expect.equal(words[name], all) end
    for _, name in ipairs { "puma560", "arm004" } do expect.equal(words[name], arm) end
    for _, r in ipairs(result) do
      local first = r.path[1]
      local turns = math.floor((r.stop[3] - first[4]) / (2 * math.pi) + 0.5) -- headings do not wrap
      near(r.stop, { first[1], first[2], first[4] + 2 * math.pi * turns }, 2e-4, r.name .. " is back")
      if words[r.name] ~= arm then expect.truthy(r.metres > 1.1, r.name .. " has moved") end
    end
    expect.truthy(text:find("MODIFIED: the base cannot move sideways", 1, true))
  end)
end)
