-- Pictures that are sent to a server and kept there, over sockets, in real time.
local core = require "robotalk.core"
local images = require "robotalk.images"
local rt = require "robotalk"

-- A whole JPEG by its structure, of that many bytes more than the least.
local function jpeg(more)
  return "\xff\xd8\xff\xc0\0\11\8\0\1\0\1\1\1\17\0\xff\xda\0\8\1\1\0\0\63\0" .. ("x"):rep(more or 0) .. "\xff\xd9"
end

-- A path that is nobody's, and goes when the caller is done with it.
local function place()
  local path = os.tmpname()
  os.remove(path)
  local function clear() os.execute(("rm -rf %s %s.sock"):format(path, path)) end
  return setmetatable({ path = path }, { __close = clear })
end

local function serve(at, dir, options)
  options = options or {}
  options.listen = { "images+unix:" .. at.path .. ".sock" }
  return assert(images.serve(dir, options)), options.listen[1]
end

local function names(path)
  local list = {}
  local pipe <close> = io.popen("cd " .. path .. " && ls *.jpg 2>/dev/null")
  for line in pipe:lines() do list[#list + 1] = line end
  return list
end

describe("robotalk.images", function()
  it_really("keeps what a lossless sender gives, and says so of each", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path)
    local sender <close> = assert(images.dial(url, { lossless = true, name = "r/c" }))
    for i = 1, 20 do
      expect.equal(true, sender:put(jpeg(100 * i)))
      expect.equal(i, server:counts().kept)
    end
    expect.equal(20, #names(at.path))
    local refused, why, code = sender:put "GIF8"
    expect.equal(nil, refused)
    expect.equal("the server has refused a picture", why)
    expect.equal("EREFUSED", code)
    expect.equal(true, sender:put(jpeg()))
    expect.equal(core.read_file(at.path .. "/000000000003.jpg", 1e6 // 1), jpeg(300))
    local counts = sender:counts()
    expect.equal("22 21 1 0 1", ("%d %d %d %d %d"):format(counts.given, counts.kept, counts.refused, counts.skipped,
      counts.links))
  end)

  it_really("has several without an answer on their way", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path)
    local sender <close> = assert(images.dial(url, { lossless = true, window = 8 }))
    for _ = 1, 50 do expect.equal(true, sender:put(jpeg(5000))) end
    expect.equal(true, sender:finish())
    expect.equal(50, sender:counts().kept)
    expect.equal(50, server:counts().pictures)
  end)

  it_really("looks at pictures and stores none where there is no folder", function()
    local at <close> = place()
    local server <close>, url = serve(at, nil)
    local sender <close> = assert(images.dial(url, { lossless = true }))
    expect.equal(true, sender:put(jpeg(100)))
    expect.equal("EREFUSED", select(3, sender:put "GIF8"))
    expect.equal(1, server:counts().kept)
    expect.equal(0, server:counts().pictures)
  end)

  it_really("comes again when the server does, and a lossless sender loses nothing", function()
    local at <close> = place()
    local server, url = serve(at, at.path)
    local sender <close> = assert(images.dial(url, { lossless = true }))
    expect.equal(true, sender:put(jpeg(1)))
    server:close()
    local done = false
    local putting = rt.spawn(function() done = sender:put(jpeg(2)) end)
    rt.sleep(0.2)
    expect.equal(false, done)
    local again <close> = serve(at, at.path)
    putting:wait()
    expect.equal(true, done)
    expect.equal(2, again:counts().pictures)
    expect.equal(2, sender:counts().links)
  end)

  it_really("sends a camera's pictures, and other tasks go on", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path)
    local robot <close> = rt.connect "pioneer2"
    local sending <close> = assert(images.send(robot:camera(), url, { rate = 50, width = 80 }))
    expect.eventually("three are kept", function() return server:counts().kept >= 3 end)
    expect.truthy(sending:counts().pictures >= 3)
    expect.equal(0, sending:counts().skipped)
    local index = core.read_file(at.path .. "/index", 1 << 20)
    expect.truthy(index:find " pioneer2/camera +%x%x%x%x%x%x%x%x\n")
  end)

  it_really("bounds what is kept", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path, { most = 100e3 })
    local sender <close> = assert(images.dial(url, { lossless = true, window = 8 }))
    for _ = 1, 60 do sender:put(jpeg(5000)) end
    sender:finish()
    local counts = server:counts()
    expect.equal(60, counts.kept)
    expect.truthy(counts.bytes <= 100e3 and counts.bytes > 80e3)
    expect.equal(#names(at.path), counts.pictures)
  end)

  it_really("tells what is wrong", function()
    local at <close> = place()
    expect.raises("want the path of a folder, got number", images.serve, 5)
    expect.raises("serve: most: want a number of 0 or more", images.serve, at.path, { most = -1 })
    expect.raises("serve: most: want 0 or at least 4480 bytes, got 100", images.serve, at.path, { most = 100 })
    expect.raises("dial has no option 'windw'; did you mean 'window'", images.dial, "images://x", { windw = 1 })
    expect.raises("want a camera, got nil", images.send, nil, "images://x")
    local robot <close> = rt.connect "pioneer2"
    expect.raises("want a camera, got a robot", images.send, robot, "images://x")
    local none, why, code = images.serve(at.path .. "/a/b")
    expect.equal(nil, none)
    expect.equal(at.path .. "/a/b: No such file or directory", why)
    expect.equal("ESYSTEM", code)
    none, why, code = images.dial("images+unix:" .. at.path .. ".nobody", { timeout = 0.3 })
    expect.equal(nil, none)
    expect.truthy(why:find "No such file or directory")
    expect.equal("EADDRESS", code)
    expect.equal("EURL", select(3, images.dial "robotalk://localhost"))
    local server <close> = serve(at, at.path)
    none, why, code = images.serve(at.path)
    expect.equal(nil, none)
    expect.equal(at.path .. ": another server keeps pictures there", why)
    expect.equal("EEXISTS", code)
    expect.truthy(server)
  end)

  it_really("takes addresses of image servers alone, and leaves no folder when it cannot begin", function()
    local at <close> = place()
    local url = "upis+unix:" .. at.path .. ".sock"
    local none, why, code = images.serve(at.path, { listen = { "images+unix:" .. at.path .. ".sock", url } })
    expect.equal(nil, none)
    expect.equal(url .. ": expected an address of an image server, images://HOST", why)
    expect.equal("EURL", code)
    expect.equal(nil, io.open(at.path))
    none, why = images.serve(at.path, { listen = { "images+unix:/no/such/folder/x.sock" } })
    expect.equal(nil, none)
    expect.truthy(why:find("No such file or directory", 1, true))
    expect.equal(nil, io.open(at.path))
    do -- one that was there stays
      local server <close> = serve(at, at.path)
      expect.truthy(server)
    end
    expect.equal(nil, images.serve(at.path, { listen = { "images+unix:/no/such/folder/x.sock" } }))
    expect.truthy(images.open(at.path))
  end)

  it_really("tells by finish what the server has refused", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path)
    local sender <close> = assert(images.dial(url))
    expect.equal(true, sender:put "GIF8")
    local ok, why, code = sender:finish()
    expect.equal(nil, ok)
    expect.equal("the server has refused a picture", why)
    expect.equal("EREFUSED", code)
    expect.equal(true, sender:finish()) -- once
    expect.equal(true, sender:put(jpeg()))
    expect.equal(true, sender:finish())
    local lossless <close> = assert(images.dial(url, { lossless = true, window = 4 }))
    for _ = 1, 3 do expect.equal(true, lossless:put "GIF8") end
    ok, why = lossless:finish()
    expect.equal(nil, ok)
    expect.equal("the server has refused 3 pictures", why)
    expect.equal(4, server:counts().refused)
  end)

  it_really("lets who waits go on when the sender is closed", function()
    local at <close> = place()
    local server <close>, url = serve(at, at.path)
    local sender = assert(images.dial(url, { lossless = true }))
    server:close()
    local putting = rt.spawn(function() return sender:put(jpeg()) end)
    rt.sleep(0.1)
    sender:close()
    local _, ok, _, code = putting:wait()
    expect.equal(nil, ok)
    expect.equal("ECLOSED", code)
    expect.equal("ECLOSED", select(3, sender:put(jpeg())))
    expect.equal(1, sender:counts().given)
  end)
end)

-- ---- a server that hangs, in simulated time ----

-- In place of the sender of the core: connected, and nothing comes back. state: what its look tells; on_close: its.
local function stall(state, on_close)
  local made = core.image_sender
  local handle = 1 << 42 -- no sender of this process has such a number
  local stub = { close = on_close or function() end }
  function stub.handle() return handle end
  function stub.look() return state end
  function stub.put()
    if state.waiting >= 2 then return false end
    state.waiting, state.given = state.waiting + 1, state.given + 1
    return true
  end
  rawset(core, "image_sender", function() return stub end)
  return setmetatable({}, { __close = function() rawset(core, "image_sender", made) end })
end

local function connected()
  return { up = true, moved = 0, given = 0, sent = 0, kept = 0, refused = 0, skipped = 0, links = 1, waiting = 0 }
end

describe("a server that does not answer", function()
  it("is not waited for any more when the task is cancelled", function()
    local closed = false
    local state = connected()
    state.up = false
    local _ <close> = stall(state, function() closed = true end)
    local dialling = rt.spawn(function() return images.dial "images://x" end)
    rt.sleep(1)
    expect.equal(false, closed)
    dialling:cancel()
    rt.sleep(0.1)
    expect.equal(true, closed)
  end)

  it("has put of a lossless sender wait for its patience", function()
    local state = connected()
    local _ <close> = stall(state)
    local sender = assert(images.dial("images://x", { lossless = true, window = 2 }))
    expect.equal(true, sender:put(jpeg()))
    local begun = rt.now()
    local ok, why, code = sender:put(jpeg()) -- it is taken, and now two have no answer
    expect.equal(nil, ok)
    expect.equal("nothing has come from the server for 30 s", why)
    expect.equal("ETIMEOUT", code)
    expect.near(30, rt.now() - begun, 0.001)
    ok, why, code = sender:put(jpeg()) -- no more than two
    expect.equal(nil, ok)
    expect.equal("nothing has come from the server for 30 s", why)
    expect.equal("EFULL", code)
    expect.equal(2, sender:counts().given)
    expect.equal("ETIMEOUT", select(3, sender:finish()))
  end)

  it("is waited for as long as bytes go, and as its script says", function()
    local state = connected()
    local _ <close> = stall(state)
    local sender = assert(images.dial("images://x", { lossless = true, patience = 2 }))
    local begun = rt.now()
    rt.spawn(function() rt.sleep(1.5) state.moved = rt.now() end)
    expect.equal("nothing has come from the server for 2 s", select(2, sender:put(jpeg())))
    expect.near(3.5, rt.now() - begun, 0.001)
    local forever = assert(images.dial("images://x", { lossless = true, patience = math.huge }))
    local putting = rt.spawn(function() return forever:put(jpeg()) end)
    rt.sleep(300)
    expect.equal("waiting", putting:status())
    putting:cancel()
    expect.raises("dial: patience: want a number of 0 or more", images.dial, "images://x", { patience = -1 })
  end)

  it("has a camera's pictures missed, and the first is told of", function()
    local state = connected()
    local _ <close> = stall(state)
    local robot <close> = rt.connect "pioneer2"
    local sending = assert(images.send(robot:camera(), "images://x", { lossless = true, patience = 1 }))
    rt.sleep(20)
    local counts = sending:counts()
    expect.equal(2, counts.given)
    expect.truthy(counts.missed >= 3 and counts.missed <= 20)
    sending:close()
  end)
end)
