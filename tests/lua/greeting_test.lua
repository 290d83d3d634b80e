-- Translators at the greeting: a server of RCTP gives them, and a client that has fetched one runs it contained.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local rctp = require "robotalk.rctp"
local translator = require "robotalk.translator"

local URL <const> = "rctp+local:pioneer2"

-- What the server of this process gives: texts by name.
local function give(texts)
  local list = {}
  for name, text in pairs(texts) do
    list[#list + 1] = { path = ("translators/%s.lua"):format(name), type = "text/x-lua", bytes = text }
  end
  assert(core.give(list))
end

describe("a server's translators", function()
  before_each(function() assert(rt.add_robot "pioneer2") end)
  after_each(function() drivers.remove "pioneer2" end)

  it("are fetched by their names, or all of them", function()
    give { crane = "return {} -- crane", cart = "return {} -- cart" }
    expect.same({ crane = "return {} -- crane", cart = "return {} -- cart" }, translator.fetch(URL))
    expect.same({ cart = "return {} -- cart" }, translator.fetch(URL, { names = { "cart" } }))
    local texts, why, code = translator.fetch(URL, { names = { "crane", "boat" } })
    expect.equal(nil, texts)
    expect.equal("translator boat: 404 Not Found", why)
    expect.equal("ENONE", code)
    give { crane = "return {} -- another" }
    expect.equal("return {} -- another", translator.fetch(URL).crane)
  end)

  it("are none where nothing is given", function() expect.same({}, translator.fetch(URL)) end)

  it("are those that come along, but for pictures", function()
    assert(core.give(assert(translator.files())))
    local texts = assert(translator.fetch(URL))
    for _, name in ipairs { "identity", "pose", "scroll", "wheels" } do
      expect.equal(translator.source(name), texts[name])
    end
    expect.equal(nil, texts.gray)
    local none, why = translator.files { "gray" }
    expect.equal(nil, none)
    expect.truthy(why:find "requires other modules", why)
    expect.raises("there is no translator 'nobody'", function() translator.files { "nobody" } end)
  end)

  it("drive the robot: a client's device by a translator that only the robot knows", function()
    give { periscope = [[
      return { options = {}, from = { type = "control", dofs = 1 }, to = { type = "control", dofs = 2 },
        to_standard = function(values) return { values[1], values[1] / 4 } end }]] }
    local texts = assert(translator.fetch(URL))
    local robot <close> = rt.connect "local:pioneer2"
    local device = { name = "wheel", type = "control", dofs = 1, translator = "periscope", object = "head" }
    local pair = translator.pair({ device }, translator.objects(robot), texts).pairs[1]
    local wheel <close> = assert(translator.join(pair, robot, texts))
    expect.equal("SUCCESS", (wheel:put { 0.4 }))
    expect.near(0.4, robot:state().joints.head.pan, 1e-3)
    expect.near(0.1, robot:state().joints.head.tilt, 1e-3)
  end)

  it("that are hostile end with their line, and the robot gets no command", function()
    give { hostile = "return { to_standard = function() while true do end end }" }
    local robot <close> = rt.connect "local:pioneer2"
    local before, texts = robot:status(), assert(translator.fetch(URL))
    local device = { name = "n", type = "control", dofs = 2, translator = "hostile", object = "head" }
    local pair = translator.pair({ device }, translator.objects(robot), texts).pairs[1]
    local link <close> = assert(translator.join(pair, robot, texts))
    local word, why = link:put { 1, 1 }
    expect.equal(nil, word)
    expect.equal("translator hostile: hostile.lua:1: it computes too long", why)
    expect.same(before, robot:status())
  end)

  it("are of at most 64 KiB for a client", function()
    give { long = (" "):rep((1 << 16) + 1) }
    local texts, why, code = translator.fetch(URL)
    expect.equal(nil, texts)
    expect.equal("translator long: 65537 bytes: expected at most 65536", why)
    expect.equal("ESIZE", code)
  end)

  it("are tables of texts: what is none is named", function()
    local file = { path = "a", type = "text/plain", bytes = "" }
    for name, wrong in pairs { path = false, type = 7, bytes = {} } do
      local given = { path = file.path, type = file.type, bytes = file.bytes }
      given[name] = wrong
      expect.raises(("files: file 2: field '%s' wants a text, got %s"):format(name, type(wrong)), core.give,
        { file, given })
    end
    expect.raises("files: file 1: field 'path' wants a text, got nil", core.give, { {} })
  end)

  it("have paths that need no escaping, and at most 1 MiB", function()
    local function refused(path, type, bytes, code)
      expect.equal(code, (select(3, core.give { { path = path, type = type, bytes = bytes } })), path)
    end
    for _, path in ipairs { "", "/a", "a/", "a//b", "../a", "a/../b", ".a", "a b", "a\r\nb", "a?b", ("x"):rep(128) } do
      refused(path, "text/plain", "", "EINVAL")
    end
    refused("a", "", "", "EINVAL")
    for i = 1, 256 do assert(core.give { { path = "f" .. i, type = "text/plain", bytes = "" } }) end
    refused("f257", "text/plain", "", "EFULL")
    assert(core.give { { path = "f256", type = "text/plain", bytes = "another in its place" } })
    refused("a", "text/plain\r\nX: y", "", "EINVAL")
    refused("a", "text/plain", ("x"):rep((1 << 20) + 1), "ESIZE")
  end)
end)

describe("a robot behind RCTP", function()
  -- Its double here, whose driver speaks RCTP, as a client's: fn(far, real).
  local function with_far(fn)
    assert(rt.add_robot "pioneer2")
    local d = assert(descriptor.load "pioneer2")
    for _, joint in pairs(d.joints) do joint.driver = "body" end
    d.name, d.base.driver, d.cameras, d.sensors = "far", "body", nil, nil
    d.drivers = { body = { script = "rctp", url = URL } }
    assert(rt.add_robot(d))
    do
      local far <close> = rt.connect "local:far"
      local real <close> = rt.connect "local:pioneer2"
      fn(far, real)
    end
    drivers.remove "far"
    drivers.remove "pioneer2"
  end

  it("is driven by a user's wheels and scroll bars", function()
    with_far(function(far, real)
      local wheels = { name = "toy", type = "control", translator = "wheels",
        options = { radius = 0.0825, track = 0.33 }, dofs = { "left", "right" } }
      local bars = { name = "bars", type = "control", dofs = 2, translator = "scroll", object = "head" }
      local found = translator.pair({ wheels, bars }, translator.objects(far))
      expect.equal(2, #found.pairs)
      local toy <close> = assert(translator.join(found.pairs[1], far))
      local panel <close> = assert(translator.join(found.pairs[2], far))
      expect.equal("SUCCESS", (toy:put { 2, 4 })) -- 0.2475 m/s, 0.5 rad/s
      rt.sleep(2)
      expect.near(0.2475, real:state().velocity.x, 1e-3)
      expect.near(0.5, real:state().velocity.theta, 1e-3)
      expect.equal("SUCCESS", (panel:put { 0.75, 0.5 }))
      expect.near(math.rad(50), real:state().joints.head.pan, 1e-3)
      toy:put { 0, 0 }
      rt.sleep(2)
    end)
  end)

  it("gets no command by a hostile translator that it has given itself", function()
    with_far(function(far, real)
      give { hostile = "return { to_standard = function(v) return { 0 / 0, 1 } end }" }
      local device = { name = "n", type = "control", dofs = 2, translator = "hostile", object = "head" }
      local texts = assert(translator.fetch(URL))
      local pair = translator.pair({ device }, translator.objects(far), texts).pairs[1]
      local link <close> = assert(translator.join(pair, far, texts))
      local word, why = link:put { 1, 1 }
      expect.equal(nil, word)
      expect.truthy(why:find "hostile.lua:1: to_standard: it gives what is wrong: value 1: .* got NaN", why)
      rt.sleep(1)
      expect.equal(0.0, real:state().joints.head.tilt)
    end)
  end)
end)

describe("objects of a robot at hand", function()
  for _, name in ipairs { "pioneer2", "puma560", "asimo", "flyer", "aibo_ers7" } do
    it(("are those of its RCML file, with the same dofs: %s"):format(name), function()
      local robot <close> = rt.connect(name)
      local client <close> = assert(rctp.dial("rctp+local:" .. name))
      for _, object in ipairs(translator.objects(robot)) do
        local there, why = client:assign(object.name)
        expect.truthy(there, why)
        expect.equal(object.direction == "input", there.control, object.name)
        if object.type == "control" then expect.equal(#object.parameters, there.count, object.name) end
      end
    end)
  end
end)

describe("a server that answers wrongly", function()
  -- What fetch makes of a server that sends these pieces, and then nothing; or goes, when the last is false.
  local function answered(pieces, options)
    local dial, at, sent = core.dial, 0, {}
    local port = setmetatable({}, { __close = function() end, __index = {
      write = function(_, bytes) sent[#sent + 1] = bytes return #bytes end,
      read = function()
        at = at + 1
        if pieces[at] == false then return nil, "the connection was closed" end
        return pieces[at] or false
      end,
      handle = function() return 0 end } })
    function core.dial() return port end
    local _ <close> = setmetatable({}, { __close = function() core.dial = dial end })
    local texts, why, code = translator.fetch("rctp://host:7077", options or { names = { "x" } })
    return texts, why, code, table.concat(sent)
  end
  local OK <const> = "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n"

  it("in pieces is understood all the same", function()
    local texts, _, _, sent = answered { "HTTP/1.1 200 O", "K\r\ncontent-length:  5\r", "\n\r\nhe", "llo" }
    expect.same({ x = "hello" }, texts)
    expect.equal("GET /translators/x.lua HTTP/1.1\r\nHost: host:7077\r\n\r\n", sent)
  end)

  it("hears the token that it asks for, and nothing that breaks a line", function()
    local _, _, _, sent = answered({ OK:format(0) }, { names = { "x" }, token = "secret" })
    expect.truthy(sent:find("\r\nAuthorization: Bearer secret\r\n\r\n", 1, true))
    expect.raises("want a text of at most 255", function() answered({}, { token = "a\r\nb" }) end)
  end)

  local function refused(what, pieces, pattern, code)
    it(("and %s is refused in words"):format(what), function()
      local texts, why, got = answered(pieces)
      expect.equal(nil, texts)
      expect.truthy(why:find(pattern), why)
      expect.equal(code, got)
    end)
  end
  refused("does not answer", {}, "no answer in time", "ETIMEOUT")
  refused("goes", { "HTTP/1.1 200 OK\r\n", false }, "closed", "ELINK")
  refused("sends an endless head", { ("x"):rep(20000) }, "the head of the reply is too long", "EBODY")
  refused("speaks something else", { "SSH-2.0\r\n\r\n" }, "this is no reply of HTTP", "EBODY")
  refused("says no length, and does not end", { "HTTP/1.1 200 OK\r\n\r\n" }, "no answer in time", "ETIMEOUT")
  refused("says a length that is none", { OK:format "long" }, "unknown bytes", "ESIZE")
  refused("says that it is endless", { OK:format(("9"):rep(30)) }, "bytes: expected at most 65536", "ESIZE")
  refused("says less than it promised", { OK:format(5) .. "he", false }, "closed", "ELINK")
  refused("refuses in control characters", { "HTTP/1.1 403 \27[2J\r\n\r\n" }, "403 \u{FFFD}%[2J", "EROLE")

  it("in its list is not followed out of it", function()
    local list = "/translators/good.lua\n/translators/../etc/passwd.lua\n/translators/a b.lua\n/other/x.lua\n"
    local texts, _, _, sent = answered({ OK:format(#list) .. list, OK:format(2) .. "hi" }, {})
    expect.same({ good = "hi" }, texts)
    expect.equal(nil, (sent:find "passwd"))
  end)

  it("asks nothing of what is no address or name", function()
    expect.raises("fetch: want an address, got nil", translator.fetch)
    expect.raises("fetch has no option 'name'; did you mean 'names'",
      function() translator.fetch(URL, { name = "x" }) end)
    expect.raises("want a name of letters", function() translator.fetch(URL, { names = { "../x" } }) end)
  end)
end)
