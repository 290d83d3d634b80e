std = "lua54"
max_line_length = 110
self = false -- a method need not use its self
cache = "build/luacheck"
exclude_files = { "scripts/meta" } -- made by spec/gen.lua: declarations without bodies

files["spec"] = { max_line_length = 150 } -- tables: one row a field, with its doc
files["tests/lua"] = { read_globals = { "describe", "it", "before_each", "after_each" } }
files["tests/ffi"] = { std = "luajit" }
files["bindings/ffi"] = { std = "luajit" }
