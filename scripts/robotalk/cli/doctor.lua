-- The verb doctor: missing parts of a machine, and the commands that install them. It changes nothing.
local core = require "robotalk.core"
local holders = require "robotalk.holders"
local json = require "robotalk.json"
local machine = require "robotalk.cli.machine"
local near = require "robotalk.mistakes.near"
local script = require "robotalk.cli.script"

-- ---- the checks ----

-- By area: { name, needed, function(machine) }. The function returns what it has found and whether that is enough; if
-- not, the command to type, or the package to install as { package }.
local areas = { run = {}, build = {}, test = {}, bench = {} }
local ORDER = { "run", "build", "test", "bench" }

local function add(area, name, needed, look)
  table.insert(areas[area], { name = name, needed = needed, look = look })
end

-- A part of a package: a program, or a file among headers and libraries.
local function packaged(area, name, package, needed, file)
  add(area, name, needed, function(m)
    local path
    if file then path = m:file(file) else path = m:program(name) end
    return path or "not found", path ~= nil, { package }
  end)
end

add("run", "localhost", true, function(m)
  for line in ((m:read "/etc/hosts" or "") .. "\n"):gmatch "([^\n]*)\n" do
    local address = line:match "^%s*(%S+)%s+[^#]*%f[%w]localhost%f[^%w.-]"
    if address and address:find "^127%." then return address .. " in /etc/hosts", true end
  end
  return "not in /etc/hosts", false, "echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts"
end)
for _, row in ipairs { { "port of robots", 7600, "robotalk://localhost:7601" },
  { "port of GTI", 10700, "gti://localhost:10701" },
  { "port of RCTP", 7077, "rctp://localhost:7078" } } do
  add("run", row[1], false, function(m)
    if not m:listens(row[2]) then return row[2] .. " is free", true end
    return row[2] .. " is taken; it may be a server of ours", false, "robotalk serve pioneer2 --listen " .. row[3]
  end)
end
-- libraries that are loaded when they are used
packaged("run", "TLS", "libssl3", false, "libssl.so.3")
local JPEG = { ["libjpeg.so.62"] = "libjpeg62-turbo", ["libjpeg.so.8"] = "libjpeg-turbo8" } -- Debian's, Ubuntu's
packaged("run", "pictures", JPEG[core.jpeg_library()] or core.jpeg_library(), false, core.jpeg_library())
packaged("run", "the prompt", "libedit2", false, "libedit.so.2")
packaged("run", "compressed VRML97, PNG", "zlib1g", false, "libz.so.1")
packaged("run", "films as GIF", "libgif7", false, "libgif.so.7")
packaged("run", "physics", "libmujoco2.2.2", false, "libmujoco.so.2.2.2")
packaged("run", "dds:// addresses", "libddsc0debian", false, "libddsc.so.0debian")
packaged("run", "physics cameras", "libegl1 libgl1-mesa-dri", false, "libEGL.so.1")
packaged("run", "URDF", "libexpat1", false, "libexpat.so.1")
local CAP_SYS_NICE = 23

add("run", "real time", false, function(m)
  local most = m:limit "Max realtime priority"
  if not most then return "unknown", false, "ulimit -r" end
  if m:may(CAP_SYS_NICE) then return "permitted by the kernel", true end
  if most >= 10 then return ("priority up to %.0f"):format(math.min(most, 99)), true end
  return "no permission for real-time priority: commands begin later on a busy machine", false,
    "echo \"$USER - rtprio 80\" | sudo tee /etc/security/limits.d/robotalk.conf   # then log in anew"
end)
add("run", "locked memory", false, function(m)
  local most = m:limit "Max locked memory"
  if not most then return "unknown", false, "ulimit -l" end
  local text = most == math.huge and "no limit" or ("%.0f MiB"):format(most / 2 ^ 20)
  if most >= 64 * 2 ^ 20 then return text, true end
  return text .. ": too little for a host program that locks all of its memory (robotalk itself does not)", false,
    "echo \"$USER - memlock unlimited\" | sudo tee -a /etc/security/limits.d/robotalk.conf   # then log in anew"
end)
add("run", "open files", false, function(m)
  local most = m:limit "Max open files"
  if not most then return "unknown", false, "ulimit -n" end
  local text = most == math.huge and "no limit" or ("%d at most"):format(most)
  if most >= 1024 then return text, true end
  return text .. ": each client takes one", false, "ulimit -n 4096"
end)
add("run", "clock", false, function(m)
  local folder = "/sys/devices/system/clocksource/clocksource0/"
  local source = m:word(folder .. "current_clocksource")
  if not source then return "unknown", true end
  local slow = source == "hpet" or source == "acpi_pm" or source == "jiffies" or source == "refined-jiffies"
  if not slow then return source, true end
  local others = m:read(folder .. "available_clocksource") or ""
  return source .. " takes microseconds to read", false, others:find "tsc"
    and "echo tsc | sudo tee " .. folder .. "current_clocksource" or "dmesg | grep -i tsc   # why it is not used"
end)
add("run", "processor", false, function(m)
  local governor = m:word "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
  if governor ~= "powersave" then return governor or "no governor", true end
  return "governor powersave: it wakes slowly", false,
    "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
end)
add("run", "terminal", false, function(m)
  local term = m.env "TERM"
  if not term or term == "dumb" then return "TERM is " .. (term or "not set"), false, "export TERM=xterm-256color" end
  local locale = m.env "LC_ALL" or m.env "LC_CTYPE" or m.env "LANG" or "C"
  if not locale:lower():gsub("-", ""):find "utf8" then
    return term .. ", without UTF-8: " .. locale, false, "export LC_CTYPE=C.UTF-8"
  end
  return term .. ", " .. locale, true
end)
add("run", "serial ports", false, function(m)
  local ports, refused = {}, nil
  for _, name in ipairs(m:list "/dev") do
    if name:find "^tty[UA][SC][BM]%d" or name:find "^ttyAMA%d" then
      ports[#ports + 1] = "/dev/" .. name
      if not m:may_use("/dev/" .. name) then refused = refused or "/dev/" .. name end
    end
  end
  local user, groups = m:user()
  local member = user == 0 or groups[m:group "dialout" or -1]
  local todo = "sudo usermod -aG dialout \"$USER\"   # then log in anew"
  if refused then return "no permission for " .. refused, false, todo end
  if #ports > 0 then return table.concat(ports, " "), true end
  if member then return "none now", true end
  return "none now, and no permission for one: not in the group dialout", false, todo
end)
add("run", "serial latency", false, function(m)
  local slow, folder = nil, "/sys/bus/usb-serial/devices/"
  local names = m:list(folder)
  for _, name in ipairs(names) do
    local ms = tonumber(m:word(folder .. name .. "/latency_timer") or "1") -- of FTDI adapters alone
    if ms > 1 then slow = slow or { name, ms } end
  end
  if not slow then return #names > 0 and table.concat(names, " ") or "no adapter that delays", true end
  return ("%s hands its bytes over after %d ms: a servo's answer takes as long"):format(slow[1], slow[2]), false,
    ("echo 1 | sudo tee %s%s/latency_timer"):format(folder, slow[1])
end)
add("run", "serial programs", false, function(m)
  local last, shared, words = {}, nil, {}
  for _, one in ipairs(holders.list(m.root)) do
    words[#words + 1] = ("%s: %s (%d)"):format(one.path, one.name, one.process)
    if last[one.path] and last[one.path] ~= one.process then shared = shared or one end
    last[one.path] = one.process
  end
  if #words == 0 then return "none has a port", true end
  return table.concat(words, ", "), not shared, shared and ("kill %d   # or end the other one: two programs spoil "
    .. "each other's bytes"):format(shared.process)
end)
add("run", "CAN", false, function(m)
  local names, down = {}, nil
  for _, name in ipairs(m:list "/sys/class/net") do
    if m:word("/sys/class/net/" .. name .. "/type") == "280" then
      names[#names + 1] = name
      local flags = tonumber(m:word("/sys/class/net/" .. name .. "/flags") or "0x1") or 1
      if flags & 1 == 0 then down = down or name end
    end
  end
  if down then
    return down .. " is down", false, ("sudo ip link set %s up%s"):format(down,
      down:find "^v" and "" or " type can bitrate 1000000")
  end
  if #names > 0 then return table.concat(names, " "), true end
  return "no interface", false, "sudo modprobe vcan && sudo ip link add vcan0 type vcan && sudo ip link set vcan0 up"
    .. "   # a virtual one"
end)

packaged("build", "gcc", "gcc", true)
packaged("build", "cmake", "cmake", true)
packaged("build", "ninja", "ninja-build", true)
packaged("build", "pkg-config", "pkg-config", true)
packaged("build", "lua5.4", "lua5.4", true)
packaged("build", "Lua headers", "liblua5.4-dev", true, "lua5.4/lua.h")
packaged("build", "C library headers", "libc6-dev", true, "stdio.h")
packaged("build", "libev", "libev-dev", true, "ev.h")
packaged("build", "libwslay", "libwslay-dev", true, "wslay/wslay.h")
packaged("build", "libedit", "libedit-dev", true, "editline/readline.h")
packaged("build", "expat", "libexpat1-dev", true, "expat.h")
packaged("build", "OpenSSL headers", "libssl-dev", true, "openssl/ssl.h")
packaged("build", "libjpeg headers", "libjpeg-dev", true, "jpeglib.h")
packaged("build", "zlib headers", "zlib1g-dev", true, "zlib.h")
packaged("build", "giflib headers", "libgif-dev", true, "gif_lib.h")
packaged("build", "MuJoCo headers", "libmujoco-dev", true, "mujoco/mujoco.h")
packaged("build", "CycloneDDS headers", "cyclonedds-dev", true, "dds/dds.h")

packaged("test", "clang", "clang", false)
packaged("test", "clang-format", "clang-format", false)
packaged("test", "cppcheck", "cppcheck", false)
packaged("test", "luacheck", "lua-check", false)
packaged("test", "cmocka", "libcmocka-dev", false, "cmocka.h")
packaged("test", "luajit", "luajit", false)
packaged("test", "luarocks", "luarocks", false)
packaged("test", "numpy", "python3-numpy", false, "python3/dist-packages/numpy")
packaged("test", "ensurepip", "python3-venv", false, "python3.11/ensurepip")
packaged("test", "curl", "curl", false)
packaged("test", "nc", "netcat-openbsd", false)
packaged("test", "lintian", "lintian", false)
packaged("test", "mmdebstrap", "mmdebstrap", false)
packaged("test", "valgrind", "valgrind", false)
packaged("test", "tovrmlx3d", "view3dscene", false)
packaged("test", "chromium", "chromium", false)
packaged("test", "promtool", "prometheus", false)
packaged("test", "ddsperf", "cyclonedds-tools", false)
packaged("test", "Fast DDS headers", "libfastrtps-dev", false, "fastrtps/Domain.h")
packaged("test", "fastddsgen", "fastddsgen", false)
packaged("test", "npm", "npm", false)
packaged("test", "EGL", "libegl1", false, "libEGL.so.1")
packaged("test", "OpenGL", "libgl1-mesa-dri", false, "dri/swrast_dri.so")

packaged("bench", "g++", "g++", false)
packaged("bench", "KDL", "liborocos-kdl-dev", false, "kdl/chain.hpp")
packaged("bench", "Eigen", "libeigen3-dev", false, "eigen3/Eigen/Geometry")
packaged("bench", "swipl", "swi-prolog-nox", false)

-- ---- the verb ----

---The results for a machine, in the areas of a list, as rows: area, name, state (ok, missing, optional), found, todo.
local function examine(m, chosen)
  local rows, debian = {}, m:read "/etc/debian_version" ~= nil
  for _, area in ipairs(chosen) do
    for _, one in ipairs(areas[area]) do
      local found, enough, todo = one.look(m)
      if type(todo) == "table" then
        todo = debian and "sudo apt-get install " .. todo[1] or ("install what Debian calls %s"):format(todo[1])
      end
      rows[#rows + 1] = { area = area, name = one.name, found = found,
        state = enough and "ok" or one.needed and "missing" or "optional", todo = not enough and todo or nil }
    end
  end
  return rows
end

local function text_of(rows)
  local lines, area, missing, packages = {}, nil, {}, {}
  for _, row in ipairs(rows) do
    if row.area ~= area then
      area = row.area
      lines[#lines + 1] = "to " .. area
    end
    lines[#lines + 1] = ("  %-9s %-18s %s"):format(row.state, row.name, row.found)
    if row.todo then lines[#lines + 1] = (" "):rep(31) .. row.todo end
    if row.state == "missing" then
      missing[#missing + 1] = row.name
      packages[#packages + 1] = row.todo:match "^sudo apt%-get install (.*)"
    end
  end
  lines[#lines + 1] = #missing == 0 and "Nothing is missing that is needed."
    or ("Missing: %s."):format(table.concat(missing, ", "))
  if #packages > 1 then lines[#lines + 1] = "All at once: sudo apt-get install " .. table.concat(packages, " ") end
  return table.concat(lines, "\n") .. "\n"
end

return {
  examine = examine, -- for tests
  usage = "[run | build | test | bench …] [--root DIR] [--json]",
  details = "ok: it is there; missing: it is needed; optional: something would be better, or more would be possible.\n"
    .. "Nothing is changed, and root is not needed. Without a word all is looked at.",
  options = {
    { "root", "DIR", "checks the files below DIR, for example a mounted image of a disk" },
    { "json", nil, "as JSON: a list of area, name, state, found, todo" },
  },
  example = "robotalk doctor run",
  exits = "0 nothing is missing, 1 something needed is, 2 wrong usage",
  main = function(args)
    for _, word in ipairs(args) do
      if not areas[word] then
        local meant = near(word, ORDER)
        script.complain(("doctor: there is no '%s'%s are %s"):format(word,
          meant and (", did you mean %s? There"):format(meant) or "; there", table.concat(ORDER, ", ")))
        return 2
      end
    end
    local rows = examine(machine.open((args.root or ""):gsub("/+$", ""), os.getenv), args[1] and args or ORDER)
    local status = 0
    for _, row in ipairs(rows) do
      if row.state == "missing" then status = 1 end
    end
    if args.json then
      for i, row in ipairs(rows) do rows[i] = json.record({ "todo" }, row) end
      core.say("out", json.encode(rows) .. "\n")
    else
      core.say("out", text_of(rows))
    end
    return status
  end,
}
