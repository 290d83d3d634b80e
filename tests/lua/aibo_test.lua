-- The actions of paper 002 under overlap: the newest has what it needs, a search always ends, an old walk's end stops
-- no newer one, and what somebody has begun ends when they leave.
local rt = require "robotalk"
local aibo = require "robotalk.aibo"
local fields = require "robotalk.field"
local manager = require "robotalk.tekkotsu.manager"
local task = require "robotalk.task"

-- A dog on a field with a pink ball at x, y.
local function with_dog(fn, x, y)
  local robot <close> = rt.connect "aibo_ers7"
  local field <close> = fields.open { balls = { { color = "pink", position = { x or 0.6, y or 0.3 } } } }
  fn(aibo.new(robot, { field = field, motions = "tests/mot" }), robot)
end

-- Runs fn as a task; what it has returned, and when it ended, come later.
local function meanwhile(fn)
  local going = {}
  going.task = rt.spawn(function()
    going.results = table.pack(fn())
    going.ended = rt.now()
  end)
  return going
end

-- What a task comes to that must end within so many seconds.
local function within(seconds, going)
  local begin = rt.now()
  local ok, why = going.task:wait(seconds)
  if not ok then error(("after %g s: %s"):format(rt.now() - begin, why), 2) end
  return table.unpack(going.results, 1, going.results.n)
end

local function joints(robot) return robot:state().joints end
local function still(robot) return not robot:state().moving end

describe("a dog's legs", function()
  it("are in the order of its body, and stop in one that is the same each time", function()
    with_dog(function(dog, robot)
      local order, legs = {}, manager.legs(robot:describe())
      for i, part in ipairs(legs) do order[i] = robot:describe().joints[part.joint].number end
      expect.equal(12, #order)
      for i = 2, #order do expect.truthy(order[i - 1] <= order[i], table.concat(order, " ")) end

      local posted, post = {}, manager.post
      local _ <close> = setmetatable({}, { __close = function() manager.post = post end })
      manager.post = function(_, cmd) posted[#posted + 1] = ("%d.%d"):format(cmd.joint, cmd.mask) end
      for _, some in ipairs { { 7, 12 }, { 1, 3 }, { 4, 6 } } do -- three commands
        local dofs, goals = {}, {}
        for i = some[1], some[2] do
          dofs[#dofs + 1] = manager.dof(legs[i].joint, legs[i].dof)
          goals[#goals + 1] = { joint = legs[i].joint, dof = legs[i].dof, to = 0.3 }
        end
        manager.begin(robot, dofs, { owner = dog }):send(goals)
      end
      manager.leave(robot, dog)
      rt.sleep(0.1)
      -- the joint and the bit of its dof; those of a command by their names
      expect.equal("7.2 7.1 8.1 9.2 9.1 10.1 3.2 3.1 4.1 5.2 5.1 6.1", table.concat(posted, " "))
    end)
  end)
end)

describe("a search", function()
  it("takes the head from a motion, which goes on with the tail", function()
    with_dog(function(dog, robot)
      local motion = meanwhile(function() return dog:motion "pan.mot" end)
      rt.sleep(0.5)
      expect.equal("found", within(10, meanwhile(function() return dog:search_ball "pink" and "found" end)))
      rt.sleep(0.5)
      expect.truthy(math.abs(joints(robot).tail.pan) > 0.05, "the tail wags")
      local word, why = within(5, motion)
      expect.equal("MODIFIED", word)
      expect.equal("a newer command has taken over", why)
    end)
  end)
  it("ends when the head is taken, by whatever", function()
    local takers = {
      ["a motion"] = function(dog) return dog:motion "pan.mot" end,
      ["a joint"] = function(dog) return dog:move_joints { { "neckPan", 0 } } end,
      ["the neck alone"] = function(dog) return dog:move_joints { { "neckTilt1", -10 } } end,
      ["past the dog"] = function(_, robot) return robot:set_joint("head", { pan = 0 }) end,
      ["a stop"] = function(_, robot) return robot:stop() end,
      ["a panic"] = function(_, robot) robot:panic() rt.sleep(0.1) robot:reset() end,
      ["a panic and a reset in one breath"] = function(_, robot) robot:panic() robot:reset() end,
    }
    for name, take in pairs(takers) do
      with_dog(function(dog, robot)
        local search = meanwhile(function() return dog:search_ball "green" end)
        rt.sleep(1)
        local taking = meanwhile(function() return take(dog, robot) end)
        local found, why = within(0.4, search)
        expect.equal(false, found, name)
        expect.truthy(why, name .. " is told")
        within(5, taking)
        expect.equal(true, dog:search_ball "pink", "after " .. name)
      end)
    end
  end)
  it("ends when another session has the head", function()
    with_dog(function(dog, robot)
      local other <close> = rt.connect("local:" .. robot:describe().name)
      local slow = meanwhile(function() return other:set_joint("head", { pan = 1.5, speed = 0.1 }) end)
      rt.sleep(0.1)
      local found, why = within(0.5, meanwhile(function() return dog:search_ball "green" end))
      expect.equal(false, found)
      expect.truthy(why:find "head.pan")
      other:stop()
      within(1, slow)
    end)
  end)
  it("ends when the head does not move", function()
    with_dog(function(_, robot)
      -- a robot whose head is stuck: it takes set-points, and they never end
      local stuck = setmetatable({ send = function() return 1 end, result = function() task.wait {} end },
        { __index = robot })
      local field <close> = fields.open { balls = { { color = "pink", position = { 0.6, 0.3 } } } }
      local dog = aibo.new(stuck, { field = field })
      local found, why = within(1, meanwhile(function() return dog:search_ball "green" end))
      expect.equal(false, found)
      expect.equal("the head does not move", why)
    end)
  end)
  it("waits for one that is under way", function()
    with_dog(function(dog)
      local first = meanwhile(function() return dog:search_ball "green" end)
      rt.sleep(1)
      local second = meanwhile(function() return dog:another():search_ball "pink" end)
      local third = meanwhile(function() return dog:another():search_ball "green" end)
      expect.equal(false, within(8, first))
      expect.equal(true, within(4, second))
      expect.equal(false, within(8, third))
      expect.truthy(first.ended < second.ended and second.ended < third.ended)
    end)
  end)
  it("answers when the head stands: a motion that follows at once has it", function()
    with_dog(function(dog, robot)
      expect.equal(true, dog:search_ball "pink")
      expect.truthy(still(robot))
      expect.equal("SUCCESS", dog:motion "nod.mot")
    end)
  end)
end)

describe("a walk", function()
  local function twist(robot) return robot:state().twist[1] end
  it("for a time is not ended by the time of one before", function()
    with_dog(function(dog, robot)
      local begin = rt.now()
      local first = meanwhile(function() return dog:walk_for(60, 0, 0, 3) end)
      rt.sleep(1)
      local second = meanwhile(function() return dog:walk_for(60, 0, 0, 5) end)
      rt.sleep(4.9)
      expect.near(0.06, twist(robot), 1e-6)
      expect.equal("SUCCESS", within(0.2, second))
      expect.equal("MODIFIED", within(0, first))
      expect.near(1, first.ended - begin, 0.1)
      rt.sleep(1)
      expect.truthy(still(robot))
    end)
  end)
  it("goes on when the time of one before has passed, whosever that was", function()
    for _, same in ipairs { true, false } do
      with_dog(function(dog, robot)
        meanwhile(function() return dog:walk_for(100, 0, 0, 2) end)
        rt.sleep(1)
        local other = same and dog or dog:another()
        other:walk(60, 0, 0)
        if not same then dog:leave() end
        rt.sleep(5)
        expect.near(0.06, twist(robot), 1e-6)
        other:leave()
        rt.sleep(1)
        expect.truthy(still(robot))
      end)
    end
  end)
  it("ends when another session stops the robot, and is nobody's then", function()
    with_dog(function(dog, robot)
      local walk = meanwhile(function() return dog:walk_for(60, 0, 0, 30) end)
      rt.sleep(1)
      local other <close> = rt.connect("local:" .. robot:describe().name)
      expect.equal("SUCCESS", other:stop())
      expect.equal("INTERRUPTED", within(0.1, walk))
      expect.truthy(not dog:walks())
      other:set_speed { x = 0.1 }
      dog:leave()
      rt.sleep(1)
      expect.near(0.1, robot:state().twist[1], 1e-6)
    end)
  end)
  it("ends when a newer one is refused", function()
    with_dog(function(dog, robot)
      dog:walk_for(60, 0, 0, 0.5)
      dog:walk(60, 0, 0)
      rt.sleep(1)
      expect.equal(nil, (dog:walk(1e300, 0, 0)))
      rt.sleep(1)
      expect.truthy(still(robot))
    end)
  end)
  it("ends when its task is ended", function()
    with_dog(function(dog, robot)
      local walk = meanwhile(function() return dog:walk_for(60, 0, 0, 30) end)
      rt.sleep(1)
      walk.task:cancel()
      rt.sleep(1)
      expect.truthy(still(robot))
    end)
  end)
  it("tells when it is slower than asked for", function()
    with_dog(function(dog)
      expect.equal("SUCCESS", dog:walk(140, 0, 0))
      local word, why = dog:walk(180, 0, 0)
      expect.equal("MODIFIED", word)
      expect.truthy(why)
      expect.equal("MODIFIED", dog:walk(0, 140, 0))
      expect.equal("MODIFIED", dog:walk(0, 0, 1.8))
      expect.equal("MODIFIED", dog:walk(100, 50, 0.3)) -- together they are more than the legs can
      expect.equal("SUCCESS", dog:stop_walk())
    end)
  end)
  it("of no speed leaves standing legs to what they do", function()
    with_dog(function(dog, robot)
      local motion = meanwhile(function() return dog:motion "stretch.mot" end)
      rt.sleep(0.4)
      expect.equal("SUCCESS", dog:stop_walk())
      expect.equal("SUCCESS", within(2, motion))
      expect.near(0.9, joints(robot).LFr.rotor, 1e-3)
    end)
  end)
end)

describe("legs", function()
  it("stop walking for a joint or a motion, and stand first", function()
    for name, action in pairs {
      joint = function(dog) return dog:move_joints { { "lFrKnee", 80 }, { "rFrKnee", 80 } } end,
      motion = function(dog) return dog:motion "stretch.mot" end,
    } do
      for _, pause in ipairs { 0, 0.05, 0.2, 0.5, 1 } do
        with_dog(function(dog, robot)
          dog:walk(100, 0, 0)
          rt.sleep(2)
          if pause < 1 then dog:stop_walk() end -- or it walks still
          rt.sleep(pause)
          expect.equal("SUCCESS", within(4, meanwhile(function() return action(dog) end)), name .. " after " .. pause)
          local leg = joints(robot)
          if name == "joint" then expect.near(80, math.deg(leg.LFr_knee.knee), 1e-3) end
          if name == "motion" then expect.near(0.9, leg.RFr.rotor, 1e-3) end
          expect.truthy(still(robot))
        end)
      end
    end
  end)
  it("walk when they are told to, whatever motion they are at; it goes on with the head", function()
    with_dog(function(dog, robot)
      local motion = meanwhile(function() return dog:motion "stretch.mot" end)
      rt.sleep(0.4)
      expect.equal("SUCCESS", dog:walk(100, 0, 0))
      expect.equal("MODIFIED", within(3, motion))
      expect.near(0.2, joints(robot).head.nod, 1e-3)
      rt.sleep(1)
      expect.near(0.1, robot:state().twist[1], 1e-6)
      dog:stop_walk()
      rt.sleep(1.5)
      -- and stand as they should: the knees had been near straight
      expect.near(60, math.deg(joints(robot).LFr_knee.knee), 0.01)
    end)
  end)
end)

describe("joints and motions", function()
  it("take over from the older ones what they need", function()
    with_dog(function(dog, robot)
      local motion = meanwhile(function() return dog:motion "pan.mot" end)
      rt.sleep(0.5)
      expect.equal("SUCCESS", within(1, meanwhile(function() return dog:move_joints { { "tailPan", -40 } } end)))
      rt.sleep(1)
      expect.near(-40, math.deg(joints(robot).tail.pan), 1e-3) -- the motion lets it be
      local pan = joints(robot).head.pan
      rt.sleep(0.3)
      expect.truthy(math.abs(joints(robot).head.pan - pan) > 0.3) -- and pans
      local second = meanwhile(function() return dog:motion "nod.mot" end) -- has the tail, not the pan
      rt.sleep(0.2)
      expect.equal("MODIFIED", within(4, motion))
      expect.equal("SUCCESS", within(4, second))
      expect.near(0, joints(robot).head.pan, 1e-3)
      local slow = meanwhile(function()
        return dog:move_joints { { "neckPan", 80, speed = 1 }, { "mouth", -50, speed = 5 } }
      end)
      rt.sleep(1)
      expect.equal("SUCCESS", dog:move_joints { { "neckPan", -30 } })
      expect.equal("MODIFIED", within(60, slow))
      expect.near(-50, math.deg(joints(robot).mouth.mouth), 1e-3)
      expect.near(-30, math.deg(joints(robot).head.pan), 1e-3)
    end)
  end)
  it("move each dof at its own speed", function()
    with_dog(function(dog, robot)
      -- pan: 576 degrees a second at most, nod: 331
      local function pan_after(seconds, list)
        local going = meanwhile(function() return dog:move_joints(list) end)
        rt.sleep(seconds)
        local at = math.deg(joints(robot).head.pan)
        expect.equal("SUCCESS", within(10, going))
        return at
      end
      expect.near(14.4, pan_after(0.5, { { "neckPan", 60, speed = 5 }, { "neckTilt2", 40, speed = 100 } }), 1.5)
      expect.truthy(pan_after(0.4, { { "neckPan", -60 }, { "neckTilt2", 0, speed = 5 } }) < -50)
    end)
  end)
  it("play a motion's beats on time, however late the script is", function()
    with_dog(function(dog, robot)
      local begin = rt.now()
      expect.equal("SUCCESS", dog:motion "nod.mot")
      expect.near(1.6, rt.now() - begin, 0.1)
      expect.near(0, joints(robot).head.nod, 1e-3)
    end)
  end)
  it("end at a stop while nothing moves, whoever says it", function()
    for _, own in ipairs { true, false } do
      with_dog(function(dog, robot)
        local motion = meanwhile(function() return dog:motion "wait.mot" end)
        rt.sleep(1)
        expect.truthy(still(robot))
        local other <close> = rt.connect("local:" .. robot:describe().name)
        expect.equal("SUCCESS", (own and robot or other):stop())
        rt.sleep(1)
        expect.near(0.5, joints(robot).head.pan, 1e-3)
        expect.equal("INTERRUPTED", within(0, motion))
        expect.equal("SUCCESS", dog:motion "nod.mot") -- what is begun after it is none of its business
      end)
    end
  end)
  it("end at a stop, and in a panic", function()
    for _, stop in ipairs { "stop", "panic" } do
      with_dog(function(dog, robot)
        local motion = meanwhile(function() return dog:motion "pan.mot" end)
        rt.sleep(1)
        robot[stop](robot)
        expect.equal(stop == "stop" and "INTERRUPTED" or "PANIC", within(0.1, motion))
        robot:reset()
        rt.sleep(0.5)
        expect.truthy(still(robot))
      end)
    end
  end)
end)

describe("who leaves", function()
  it("leaves nothing under way, wherever it was", function()
    for name, action in pairs {
      ["a walk"] = function(dog) return dog:walk(100, 0, 0) end,
      ["a walk for a time"] = function(dog) return dog:walk_for(100, 0, 0, 60) end,
      ["a search"] = function(dog) return dog:search_ball "green" end,
      ["a motion"] = function(dog) return dog:motion "pan.mot" end,
      ["a slow joint"] = function(dog) return dog:move_joints { { "neckPan", 80, speed = 1 } } end,
      ["a walk and a search"] = function(dog) dog:walk(60, 0, 0) return dog:search_ball "green" end,
      ["legs that wait"] = function(dog) dog:walk(60, 0, 0) rt.sleep(0.5) return dog:motion "stretch.mot" end,
    } do
      with_dog(function(dog, robot)
        local guest = dog:another()
        local going = meanwhile(function() return action(guest) end)
        rt.sleep(0.8)
        guest:leave()
        rt.sleep(1)
        expect.truthy(still(robot), name)
        within(0, going)
      end)
    end
  end)
  it("leaves what others have begun", function()
    with_dog(function(dog, robot)
      local guest = dog:another()
      dog:walk(60, 0, 0)
      local motion = meanwhile(function() return dog:motion "pan.mot" end)
      guest:move_joints { { "mouth", -40 } }
      guest:leave()
      expect.equal("SUCCESS", within(4, motion))
      expect.near(0.06, robot:state().twist[1], 1e-6)
      dog:stop_walk()
    end)
  end)
end)
