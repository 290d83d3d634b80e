-- The client for LuaJIT: luarocks --lua-version 5.1 make bindings/ffi/robotalk-scm-1.rockspec, at the top of the tree. Its
-- declarations are made of the headers by Lua 5.4; librobotalk.so.0 is found when it is loaded.
rockspec_format = "3.0"
package = "robotalk"
version = "scm-1"
source = { url = "git+file://." } -- of a copy of the repository
description = {
  summary = "robots by name, file or address: robotalk for LuaJIT",
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.1" } -- which LuaJIT is
build = {
  type = "command",
  build_command = "mkdir -p build/rock && lua5.4 spec/gen.lua c build/rock/made"
    .. " && lua5.4 bindings/ffi/spec.lua build/rock/robotalk_spec.lua build/rock/made",
  install = { lua = { robotalk = "bindings/ffi/robotalk.lua", robotalk_spec = "build/rock/robotalk_spec.lua" } },
}
