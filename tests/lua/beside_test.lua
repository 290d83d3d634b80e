-- Modules and drivers' scripts are found beside the file that names them, wherever the program was started.
local beside = require "robotalk.robot.beside"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local rt = require "robotalk"

local folder

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
  return folder .. "/" .. name
end

local function run(path) return beside.run(path, assert(loadfile(path))) end

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir -p %s/sub %s/links"):format(folder, folder)))
end)
after_each(function() os.execute("rm -r " .. folder) end)

describe("require", function()
  it("finds what is beside the file that requires, and the same file once", function()
    local count = { 0 }
    package.loaded.beside_count = count
    write("beside_a.lua",
      "local n = package.loaded.beside_count n[1] = n[1] + 1 return { require 'beside_b', (...) }")
    write("beside_b.lua", "return 'b'")
    local main = write("main.lua", "return require 'beside_a', select(2, require 'beside_a')")
    local a, path = run(main)
    expect.equal("b", a[1])
    expect.equal("beside_a", a[2])
    expect.equal(folder .. "/beside_a.lua", path)
    run(main)
    expect.equal(1, count[1])
    expect.equal(a, package.loaded.beside_a)
    package.loaded.beside_a = nil -- as scripts do that want it anew
    run(main)
    expect.equal(2, count[1])
  end)

  it("takes two files of one name in two folders for two modules", function()
    write("beside_c.lua", "return 'outer'")
    write("sub/beside_c.lua", "return 'inner'")
    write("sub/init.lua", "return { require 'beside_c' }")
    local outer, inner = run(write("main.lua", "return require 'beside_c', require 'sub'"))
    expect.equal("outer", outer)
    expect.equal("inner", inner[1])
    expect.equal("inner", run(write("sub/main.lua", "return require 'beside_c'")))
    expect.equal("outer", run(write("main.lua", "return require 'beside_c'")))
  end)

  it("finds it through a symbolic link, to a script and to a module", function()
    write("sub/main.lua", "return require 'beside_d'")
    write("beside_e.lua", "return { require 'beside_f' }")
    write("beside_f.lua", "return 'f'")
    write("sub/beside_d.lua", "return 'd'")
    assert(os.execute(("ln -s ../sub/main.lua %s/links/main.lua"):format(folder)))
    assert(os.execute(("ln -s ../beside_e.lua %s/links/beside_e.lua"):format(folder)))
    expect.equal("d", run(folder .. "/links/main.lua"))
    expect.equal("f", run(write("links/other.lua", "return require 'beside_e'"))[1])
  end)

  it("leaves alone what comes along, what is loaded, and what is nowhere", function()
    write("string.lua", "return 'mine'")
    os.execute(("mkdir -p %s/robotalk"):format(folder))
    write("robotalk/tape.lua", "return 'mine'")
    local str, tape = run(write("main.lua", "return require 'string', require 'robotalk.session.tape'"))
    expect.equal(string, str)
    expect.equal("function", type(tape))
    expect.raises("^%S*main.lua:2: module 'beside_none' not found:\n\tno such file beside", run,
      write("main.lua", "\nrequire 'beside_none'"))
    write("beside_bad.lua", "return +")
    expect.raises("error loading module 'beside_bad' from file '.*beside_bad.lua:1:", run,
      write("main.lua", "require 'beside_bad'"))
    expect.raises("bad argument #1 to 'require'", function() require() end)
  end)

  it("of a module that requires itself raises, and of one that failed tries again", function()
    write("beside_h.lua", "return require 'beside_i'")
    write("beside_i.lua", "local h = require 'beside_h' return h")
    local main = write("main.lua", "return require 'beside_h'")
    expect.raises("beside_i.lua:1: module 'beside_h' requires itself", run, main)
    write("beside_i.lua", "return 'i'")
    expect.equal("i", run(main))
  end)

  it("takes what a module puts into package.loaded, and one that was taken out anew in any folder", function()
    write("beside_j.lua", "package.loaded.beside_j = 'mine'")
    write("sub/beside_j.lua", "return {}")
    local main = write("main.lua", "return require 'beside_j'")
    local inner = write("sub/main.lua", "return require 'beside_j'")
    expect.equal("mine", run(main))
    local first = run(inner)
    expect.equal(first, run(inner))
    package.loaded.beside_j = nil
    expect.truthy(first ~= run(inner))
    expect.equal(run(inner), run(inner))
    expect.equal("mine", run(main))
  end)

  it("may wait", function()
    write("beside_g.lua", "require 'robotalk'.sleep(0.1) return 'slow'")
    expect.equal("slow", run(write("main.lua", "return require 'beside_g'")))
  end)
end)

local DRIVER = "local u = require 'beside_u' return { open = function() return {} end, "
  .. "start = function(self, cmd, done) self:report { position = { u } } done 'success' end, halted = function() end }"
local LAMP = [[return { name = "lamp", joints = { { name = "head", driver = "bulb", dofs = { {} } } },
  drivers = { bulb = { script = "%s" } } }]]

describe("a driver's script", function()
  local function turns(robot)
    expect.equal("SUCCESS", (robot:set_joint("head", 0.1)))
    expect.near(0.5, robot:state().joints.head.head, 1e-9)
  end

  it("is beside the descriptor that names it, with and without its ending", function()
    write("bulb.lua", DRIVER)
    write("beside_u.lua", "return 0.5")
    for _, name in ipairs { "bulb.lua", "bulb", "./bulb.lua", folder .. "/bulb.lua" } do
      local robot <close> = rt.connect(write("lamp.lua", LAMP:format(name)))
      turns(robot)
      assert(robot:reload())
      turns(robot)
    end
    assert(os.execute(("ln -s ../lamp.lua %s/links/lamp.lua"):format(folder)))
    local robot <close> = rt.connect(folder .. "/links/lamp.lua")
    turns(robot)
  end)

  it("is beside the script that has the descriptor in a table", function()
    write("bulb.lua", DRIVER)
    write("beside_u.lua", "return 0.5")
    local name = run(write("main.lua", "return require 'robotalk'.add_robot((function() " .. LAMP:format "bulb.lua"
      .. " end)())"))
    local robot <close> = rt.connect("local:" .. name)
    turns(robot)
    drivers.remove(name)
  end)

  it("that is missing, or is no Lua, is told by check", function()
    local path = write("lamp.lua", LAMP:format "bulp.lua")
    local missing = assert(descriptor.open(path)).missing()
    expect.equal(1, #missing)
    expect.truthy(missing[1]:find(path .. ":2: drivers.bulb.script: there is no driver 'bulp.lua'", 1, true),
      missing[1])
    write("bulp.lua", "return +")
    missing = descriptor.open(path).missing()
    expect.truthy(missing[1]:find("bulp.lua:1: unexpected symbol", 1, true), missing[1])
    write("bulp.lua", "error 'it is not run'")
    expect.equal(0, #descriptor.open(path).missing())
    missing = descriptor.open(write("lamp.lua", LAMP:format "evid30")).missing()
    expect.equal(1, #missing) -- it is there, and wants an option
    expect.truthy(missing[1]:find("drivers.bulb.port: expected a text", 1, true), missing[1])
  end)
end)

describe("what stands beside a descriptor for viewers and clients", function()
  local CART = [[return { name = "beside_cart", base = {}, links = { [0] = { name = "body", shapes = {
    { type = "mesh", file = "%s.wrl" } } } }, joints = { [0] = { child = 0, translator = "beside_%s", dofs = {
    { type = "revolute" } } } } }]]

  it("is given while its robot is there, also when another of its name cannot be added", function()
    local function cart(mesh)
      write(mesh .. ".wrl", "#VRML V2.0 utf8\n")
      write("beside_" .. mesh .. ".lua", "return { to_standard = function(x) return x end }")
      return write(mesh .. ".lua", CART:format(mesh, mesh))
    end
    local function given()
      local files = require "robotalk.descriptor.meshes".files()
      return table.concat(require "robotalk.descriptor.translators".names(), " ") .. " " .. files[1].path
    end
    local name = assert(rt.add_robot(cart "first"))
    expect.equal("beside_first first.wrl", given())
    local _, message = rt.add_robot(cart "second")
    expect.equal("the name beside_cart is taken", message)
    expect.equal("beside_first first.wrl", given())
    drivers.remove(name)
    expect.equal("", table.concat(require "robotalk.descriptor.translators".names(), " "))
  end)
end)
