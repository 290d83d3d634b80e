-- Streams of pictures over HTTP, of servers as they are and of such as send what they should not.
local core = require "robotalk.core"
local http_stream = require "robotalk.http.stream"
local rt = require "robotalk"

local MOST <const> = 20000 -- bytes, of a picture here
local WITHIN <const> = 5 -- s, for each

-- A connection whose server sends these bytes so many at a time, and has gone then, or sends no more.
local function connection(bytes, step, stays)
  local at, port = 1, { sent = "" }
  function port:write(text)
    self.sent = self.sent .. text
    return #text
  end
  function port.read()
    if at > #bytes then
      if stays then return false end
      return nil, "the connection was closed"
    end
    local piece = bytes:sub(at, at + step - 1)
    at = at + #piece
    return piece
  end
  function port.handle() return 0 end
  return { port = port, host = "host", rest = "" }
end

local function open(from, limits)
  limits = limits or {}
  return http_stream.open(from, "/eye",
    { most = limits.most or MOST, late = core.now() + WITHIN, token = limits.token })
end

-- All pictures of a stream, and why there are no more.
local function pictures(bytes, step, limits)
  local list, heads, stream = {}, {}, assert(open(connection(bytes, step), limits))
  while true do
    local picture, head, code = stream:next(core.now() + WITHIN)
    if not picture then return list, head, code, heads end
    list[#list + 1], heads[#heads + 1] = picture, head
  end
end

local function reply(type, more) return ("HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n"):format(type, more or "") end
local function sized(boundary, body, more)
  return ("--%s\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n%s\r\n%s\r\n"):format(boundary, #body, more or "",
    body)
end
local function unsized(boundary, body)
  return ("--%s\r\nContent-Type: image/jpeg\r\n\r\n%s\r\n"):format(boundary, body)
end
local function in_chunks(body, size)
  local out = {}
  for at = 1, #body, size do
    local piece = body:sub(at, at + size - 1)
    out[#out + 1] = ("%x;x=y\r\n%s\r\n"):format(#piece, piece)
  end
  return table.concat(out) .. "0\r\n\r\n"
end

local OWN <const> = reply "multipart/x-mixed-replace; boundary=cut"
local TRICKY <const> = "\xff\xd8 --cut --cut-- \r\n-cut \n--cu\xff\xd9" -- with all but the boundary in it
local FIRST <const>, LAST <const> = "\xff\xd8first\xff\xd9", "\xff\xd8last\r\n\xff\xd9"

describe("a stream of pictures", function()
  local bodies = {
    ["with lengths"] = OWN .. sized("cut", FIRST) .. sized("cut", TRICKY) .. sized("cut", LAST),
    ["without lengths"] = OWN .. unsized("cut", FIRST) .. unsized("cut", TRICKY) .. unsized("cut", LAST)
      .. "--cut\r\n",
    ["with the boundary in quotes, capitals and a type of its own"] = "HTTP/1.0 200 OK\r\nCONTENT-TYPE: "
      .. 'Multipart/Mixed; charset=x; Boundary="Cut it"\r\n\r\n' .. sized("Cut it", FIRST) .. sized("Cut it", TRICKY)
      .. sized("Cut it", LAST),
    -- as some cameras have it: the dashes are the boundary's own, or stand twice
    ["with dashes in the boundary"] = reply "multipart/x-mixed-replace;boundary=--cut" .. unsized("cut", FIRST)
      .. "--" .. unsized("cut", TRICKY) .. "--" .. unsized("cut", LAST) .. "--cut\r\n",
    ["with a preamble, and lines that end in LF"] = OWN .. "\r\nhello\n--cut\nContent-Length: 9\n\n" .. FIRST .. "\n"
      .. ("--cut\n\n%s\n--cut  \nContent-Length: %d\n\n%s"):format(TRICKY, #LAST, LAST),
    ["in chunks"] = reply("multipart/x-mixed-replace; boundary=cut", "Transfer-Encoding: chunked\r\n")
      .. in_chunks(unsized("cut", FIRST) .. sized("cut", TRICKY) .. sized("cut", LAST), 7),
  }
  for what, bytes in pairs(bodies) do
    it("is read in whatever pieces it comes, " .. what, function()
      for _, step in ipairs { 1, 2, 3, 5, 64, 1 << 16 } do
        local list = pictures(bytes, step)
        expect.same({ FIRST, TRICKY, LAST }, list)
      end
    end)
  end

  it("asks for the path, with a token for who wants one", function()
    local from = connection(OWN, 100)
    assert(open(from, { token = "sesame" }))
    expect.equal("GET /eye HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer sesame\r\n\r\n", from.port.sent)
  end)

  it("tells when a picture was taken, where its server does", function()
    local _, _, _, heads = pictures(OWN .. sized("cut", FIRST, "X-Timestamp: 12.250000000\r\n") .. sized("cut", LAST)
      .. sized("cut", LAST, "X-Timestamp: -3\r\n") .. sized("cut", LAST, "X-Timestamp: 1e9\r\n"), 64)
    expect.equal(12.25, http_stream.time(heads[1]))
    for i = 2, 4 do expect.equal(nil, http_stream.time(heads[i])) end
  end)

  it("ends where its server says so, or goes", function()
    local list, why, code = pictures(OWN .. sized("cut", FIRST) .. "--cut--\r\n" .. sized("cut", LAST), 5)
    expect.equal("1 the stream has ended ELINK", ("%d %s %s"):format(#list, why, code))
    list, why, code = pictures(OWN .. sized("cut", FIRST) .. sized("cut", LAST):sub(1, -9), 5)
    expect.equal("1 the connection was closed ELINK", ("%d %s %s"):format(#list, why, code))
    list, why, code = pictures(reply("multipart/x; boundary=cut", "Transfer-Encoding: chunked\r\n") .. "0\r\n\r\n", 5)
    expect.equal("0 the stream has ended ELINK", ("%d %s %s"):format(#list, why, code))
  end)
end)

describe("a server of pictures", function()
  it("that gives none is told in words", function()
    local function refused(bytes)
      local stream, why, code = open(connection(bytes, 7))
      expect.equal(nil, stream)
      return why .. " " .. code
    end
    expect.equal("expected a stream of pictures (multipart with a boundary), got image/jpeg EBODY",
      refused(reply "image/jpeg"))
    expect.equal("expected a stream of pictures (multipart with a boundary), got no type EBODY",
      refused "HTTP/1.1 200 OK\r\n\r\n")
    for _, type in ipairs { "multipart/mixed", "multipart/mixed; boundary=", 'multipart/mixed; boundary=""',
      "multipart/mixed; boundary=--", "multipart/mixed; boundary=" .. ("b"):rep(201) } do
      expect.truthy(refused(reply(type)):find "^expected a stream", type)
    end
    expect.equal("404 No ENONE", refused "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
    expect.equal("401 No ETOKEN", refused "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
    expect.equal("this is no reply of HTTP EBODY", refused "SSH-2.0-x\r\n\r\n")
  end)

  it("is not followed beyond the bounds", function()
    local function ends(body, head)
      local list, why, code = pictures((head or OWN) .. body, 1000)
      expect.equal(0, #list)
      return why .. " " .. code
    end
    expect.equal("a picture of 20001 bytes: expected at most 20000 ESIZE", ends(sized("cut", ("x"):rep(MOST + 1))))
    expect.equal("no end of a part within 20000 bytes ESIZE", ends(unsized("cut", ("x"):rep(2 * MOST))))
    expect.equal("no end of a part within 4096 bytes ESIZE", ends(("x"):rep(10000)))
    expect.equal("the head of the reply is too long EBODY", ends("--cut\r\n" .. ("X: y\r\n"):rep(9999)))
    local chunked = reply("multipart/x; boundary=cut", "Transfer-Encoding: chunked\r\n")
    expect.equal("the reply is not in chunks, as it says ELINK", ends("x\r\n", chunked))
    expect.equal("more than 20000 bytes ELINK", ends("123456789\r\n", chunked))
    expect.equal("a line of a chunk is too long ELINK", ends(("1"):rep(5000), chunked))
  end)

  it("may give a picture as large as is wanted, with a length or without", function()
    local large = ("x"):rep(MOST)
    expect.same({ large, large }, (pictures(OWN .. sized("cut", large) .. unsized("cut", large) .. "--cut\r\n", 1000)))
  end)

  it("that sends a byte from time to time, or none, is left in time", function()
    for _, drips in ipairs { true, false } do
      local from = connection(OWN .. "--cut\r\nContent-Length: 999\r\n\r\n", 1000, true)
      local stream, read, start = assert(open(from)), from.port.read, core.now()
      function from.port:read()
        if drips and core.now() > start then
          rt.sleep(0.5)
          return "x"
        end
        return read(self)
      end
      local picture, why, code = stream:next(core.now() + WITHIN)
      expect.equal(nil, picture)
      expect.equal("no answer in time ETIMEOUT", why .. " " .. code)
      expect.near(WITHIN, core.now() - start, 0.6)
    end
  end)
end)
