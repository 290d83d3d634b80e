std = "lua54"
max_line_length = 120
self = false -- a method need not use its self
cache = "build/luacheck"
exclude_files = { "scripts/meta" } -- made by spec/gen.lua: declarations without bodies

files["spec"] = { max_line_length = 170 } -- tables: one row a field, with its doc
files["tests/lua"] = { read_globals = { "describe", "it", "before_each", "expect", "it_really", "after_each",
  "assert_equal", "assert_near", "assert_raises" } }
files["tests/faults"] = { read_globals = { "describe", "it", "expect" } }
files["scripts/robotalk/cli/run.lua"] = { globals = { "arg" } } -- a script's arguments, as lua sets them
files["scripts/robotalk/modes/playback.lua"] = { ignore = { "581" } } -- NaN fails a negated comparison too
files["scripts/experiments/ordering.lua"] = { ignore = { "581" } }
files["scripts/robotalk/testing.lua"] = { ignore = { "581" } }
files["tests/lua/near.lua"] = { ignore = { "581" } }
files["tests/ffi"] = { std = "luajit" }
files["bindings/ffi"] = { std = "luajit" }
