-- Errors of scripts as people read them.
local rt = require "robotalk"
local trace = require "robotalk.mistakes.trace"

describe("an error", function()
  it("has the script's own lines, and none of the library's or of C", function()
    local robot <close> = rt.connect "pioneer2"
    local function look() robot:set_joint("hed", { pan = 1 }) end
    local function visit() look() end
    local ok, why, code = rt.spawn(visit):wait()
    expect.equal("nil EFAILED", ("%s %s"):format(ok, code))
    expect.truthy(why:find("^tests/lua/trace_test.lua:8: pioneer2 has no joint 'hed'; did you mean 'head'%? It has "
      .. "head, root\n  called at tests/lua/trace_test.lua:9$"), why)
  end)

  it("that goes through several tasks has each line once", function()
    local function broken() error "no" end
    local function first() local _, why = rt.any(broken) error(why, 0) end
    local function second() local _, why = rt.all(function() first() end) error(why, 0) end
    local _, why = rt.spawn(second):wait()
    expect.equal("tests/lua/trace_test.lua:17: no\n  called at tests/lua/trace_test.lua:18, in first\n"
      .. "  called at tests/lua/trace_test.lua:19", why)
  end)

  it("in the library keeps all, and a text keeps its lines", function()
    local inner = "robotalk/session.lua:3: attempt to index a nil value\nstack traceback:\n\t[C]: in ?"
    expect.equal(inner, trace(inner))
    expect.equal("two\nlines\n\twith a tab", trace "two\nlines\n\twith a tab")
    expect.equal("x.lua:1: a\nb", trace "x.lua:1: a\nb\nstack traceback:\n\tx.lua:1: in main chunk\n\t[C]: in ?")
    expect.equal("x.lua:1: a\n  called at y.lua:7, in go",
      trace "x.lua:1: a\nstack traceback:\n\trobotalk/task.lua:2: in function 'x'\n\ty.lua:7: in method 'go'")
  end)
end)
