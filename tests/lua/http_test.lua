-- The reader of HTTP, against servers that send what they should not: its bounds in bytes and in time.
local core = require "robotalk.core"
local http = require "robotalk.http"
local rt = require "robotalk"

local MOST <const> = 1000 -- bytes, of all bodies asked for here
local WITHIN <const> = 5 -- s, for each reply

-- A connection whose server sends these pieces, and then nothing; false: it has gone. A function is asked for each
-- piece, by its number. How many were read is counted in its port.
local function connection(pieces)
  local port = { reads = 0, sent = "" }
  function port:write(bytes)
    self.sent = self.sent .. bytes
    return #bytes
  end
  function port:read()
    self.reads = self.reads + 1
    local piece
    if type(pieces) == "function" then piece = pieces(self.reads) else piece = pieces[self.reads] end
    if piece == false then return nil, "the connection was closed" end
    return piece or false
  end
  function port.handle() return 0 end
  return { port = port, host = "host", rest = "" }
end

local function get(from, patience)
  return http.get(from, "/x", { most = MOST, late = core.now() + WITHIN, patience = patience })
end

local function refused(pieces, message, code)
  local from = connection(pieces)
  local body, why, got = get(from)
  expect.equal(nil, body)
  expect.equal(message, why)
  expect.equal(code, got)
  -- and nothing that comes behind it is taken for an answer
  from.rest = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
  expect.equal(nil, (get(from)))
  return from
end

local function head(...) return table.concat({ "HTTP/1.1 200 OK", ... }, "\r\n") .. "\r\n\r\n" end

describe("a reply of HTTP", function()
  it("is read in whatever pieces it comes, and what comes behind it is the next one's", function()
    local bytes = head "Content-Length: 5" .. "first" .. head "content-length:6 " .. "second"
    local from = connection(function(n) return n <= #bytes and bytes:sub(n, n) end)
    expect.equal("first", (get(from)))
    expect.equal("second", (get(from)))
    expect.equal(("GET /x HTTP/1.1\r\nHost: host\r\n\r\n"):rep(2), from.port.sent)
    from = connection { bytes }
    expect.equal("first", (get(from)))
    expect.equal("second", (get(from)))
  end)

  it("is of as many bytes as were wanted, and not of one more", function()
    expect.equal(("x"):rep(MOST), (get(connection { head("Content-Length: " .. MOST) .. ("x"):rep(MOST) })))
    local from = refused({ head("Content-Length: " .. MOST + 1), ("x"):rep(MOST + 1) },
      "1001 bytes: expected at most 1000", "ESIZE")
    expect.equal(1, from.port.reads) -- its body was not read
  end)

  it("that says a wrong length or two is not read", function()
    for _, lengths in ipairs { { "" }, { "-1" }, { "+1" }, { "0x1" }, { "1e2" }, { "1 2" }, { "1.0" },
      { ("9"):rep(30) }, { "1", "2" }, { "1", "1" } } do
      local lines = {}
      for i, length in ipairs(lengths) do lines[i] = "Content-Length: " .. length end
      refused({ head(table.unpack(lines)) .. "x" }, "unknown bytes: expected at most 1000", "ESIZE")
    end
  end)

  local CHUNKED <const> = head "Transfer-Encoding: chunked"

  it("in chunks is put together, in whatever pieces they come, and what comes behind is the next one's", function()
    local bytes = CHUNKED .. "2\r\nab\r\n00A ;name=value\ncdefghijkl\r\n0\r\nTrailer: x\r\n\r\n"
      .. head "Content-Length: 2" .. "hi"
    local from = connection(function(n) return n <= #bytes and bytes:sub(n, n) end)
    expect.equal("abcdefghijkl", (get(from)))
    expect.equal("hi", (get(from)))
    expect.equal(("x"):rep(MOST), (get(connection { CHUNKED, "3e8\r\n" .. ("x"):rep(MOST) .. "\r\n0\r\n\r\n" })))
  end)

  it("in chunks is bounded, and is nothing else beside", function()
    refused({ CHUNKED .. "3e9\r\n" }, "more than 1000 bytes", "ESIZE")
    refused({ CHUNKED .. "3e7\r\n" .. ("x"):rep(999) .. "\r\n2\r\n" }, "more than 1000 bytes", "ESIZE")
    for _, size in ipairs { "", "x", "-1", "0x1", "1 2", ("f"):rep(16) } do
      refused({ CHUNKED .. size .. "\r\nx" }, "the reply is not in chunks, as it says", "EBODY")
    end
    refused({ CHUNKED .. "1\r\nxy\r\n" }, "a chunk is longer than it says", "EBODY")
    refused({ CHUNKED .. ("1"):rep(5000) }, "a line of a chunk is too long", "EBODY")
    refused({ CHUNKED .. "0\r\n" .. ("X: y\r\n"):rep(65) }, "too much behind the last chunk", "EBODY")
    refused({ CHUNKED .. "1\r\nx\r\n" }, "no answer in time", "ETIMEOUT")
    local message = "the reply comes in chunks, and more: expected chunks alone"
    refused({ head("Content-Length: 1", "transfer-encoding : chunked") .. "1\r\nx\r\n0\r\n\r\n" }, message, "EBODY")
    refused({ head "Transfer-Encoding: gzip, chunked" .. "1\r\nx\r\n0\r\n\r\n" }, message, "EBODY")
  end)

  it("without a length goes on until its connection ends, and is bounded", function()
    local from = connection { head "Connection: close" .. "ab", "cd", false }
    expect.equal("abcd", (get(from)))
    expect.equal(nil, (get(from)))
    refused({ head "X: y", ("x"):rep(MOST + 1) }, "more than 1000 bytes", "ESIZE")
    refused({ head "X: y", "x" }, "no answer in time", "ETIMEOUT")
  end)

  it("that leads elsewhere is not followed", function()
    local from = refused({ "HTTP/1.1 301 Moved Permanently\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n" },
      "301 Moved Permanently: it is elsewhere, and not looked for there", "EINVAL")
    expect.equal("GET /x HTTP/1.1\r\nHost: host\r\n\r\n", from.port.sent)
  end)

  it("that refuses is told in words, and the next one is read", function()
    local next = head "Content-Length: 2" .. "hi"
    for status, code in pairs { [401] = "ETOKEN", [403] = "EROLE", [404] = "ENONE", [500] = "EINVAL" } do
      local from = connection { ("HTTP/1.1 %d No\r\nContent-Length: 4\r\n\r\npage"):format(status) .. next }
      local body, why, got = get(from)
      expect.equal(nil, body)
      expect.equal(status .. " No", why)
      expect.equal(code, got)
      expect.equal("hi", (get(from)))
    end
  end)

  it("that is none is refused", function()
    refused({ "SSH-2.0-x\r\n\r\n" }, "this is no reply of HTTP", "EBODY")
    refused({ "RCTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx" }, "this is no reply of HTTP", "EBODY")
  end)
end)

describe("a server of HTTP", function()
  it("that sends a head without end is left after 16 KiB", function()
    local function endless(n) return n == 1 and "HTTP/1.1 200 OK\r\n" or ("X: %s\r\n"):format(("y"):rep(1000)) end
    local from = refused(endless, "the head of the reply is too long", "EBODY")
    expect.truthy(from.port.reads <= 18, from.port.reads)
  end)

  it("that sends a long head in one piece is left, too", function()
    local bytes = head("X: " .. ("y"):rep(1 << 14), "Content-Length: 1") .. "x"
    refused({ bytes }, "the head of the reply is too long", "EBODY")
  end)

  it("that sends a body without end gets no more than its length read", function()
    local from = connection(function(n) return n == 1 and head "Content-Length: 10" or "xxxx" end)
    expect.equal(("x"):rep(10), (get(from)))
    expect.equal(4, from.port.reads)
    expect.equal("xx", from.rest)
  end)

  it("that sends without a pause does not keep others from running", function()
    local turns = 0
    local other <close> = rt.spawn(function()
      while true do
        turns = turns + 1
        rt.sleep(0)
      end
    end)
    local from = connection(function(n) return n == 1 and head "Content-Length: 640" or "x" end)
    expect.equal(640, #get(from))
    expect.truthy(turns >= 640 / 16 - 1, turns)
    other:cancel()
  end)

  it("that sends a byte from time to time is left when the time is over", function()
    local start = core.now()
    local function drip(n)
      rt.sleep(0.5)
      return n == 1 and head "Content-Length: 900" or "x"
    end
    refused(drip, "no answer in time", "ETIMEOUT")
    expect.near(WITHIN, core.now() - start, 0.6)
  end)

  it("that falls silent is left when the patience is over", function()
    local start = core.now()
    local body, why, code = get(connection { head "Content-Length: 9", "x" }, 1)
    expect.equal(nil, body)
    expect.equal("no answer in time", why)
    expect.equal("ETIMEOUT", code)
    expect.near(1, core.now() - start, 0.1)
  end)

  it("that goes in the middle says so", function()
    refused({ head "Content-Length: 9", "x", false }, "the connection was closed", "ELINK")
    refused({ "HTTP/1.1 200", false }, "the connection was closed", "ELINK")
  end)

  it("that goes without a word may speak another protocol, which is said", function()
    refused({ false }, "it closed the connection without an answer: expected a server of HTTP, and another protocol "
      .. "may be spoken there", "ELINK")
  end)

  it("that reads nothing is left when the time is over", function()
    local from, start = connection {}, core.now()
    function from.port.write() return 0 end
    local body, why, code = get(from)
    expect.equal(nil, body)
    expect.equal("the other side reads nothing", why)
    expect.equal("ETIMEOUT", code)
    expect.near(WITHIN, core.now() - start, 0.1)
  end)

  it("is not asked for a path that breaks a line", function()
    local from = connection {}
    local body, _, code = http.get(from, "/x\r\nY: z", { most = MOST, late = core.now() + WITHIN })
    expect.equal(nil, body)
    expect.equal("EINVAL", code)
    expect.equal("", from.port.sent)
  end)
end)
