-- What the doctor says of machines: roots of files that stand for them.
local core = require "robotalk.core"
local doctor = require "robotalk.cli.doctor"
local machine = require "robotalk.cli.machine"

local function root_with(files)
  local root = os.tmpname()
  os.remove(root)
  for path, text in pairs(files) do
    os.execute(("mkdir -p '%s'"):format((root .. path):match "^(.*)/"))
    local file = assert(io.open(root .. path, "w"))
    file:write(text)
    file:close()
  end
  return setmetatable({ path = root }, { __close = function() os.execute(("rm -rf '%s'"):format(root)) end })
end

local function look(root, area, env)
  local rows = {}
  local here = machine.open(root.path, function(name) return (env or {})[name] end)
  for _, row in ipairs(doctor.examine(here, { area })) do rows[row.name] = row end
  return rows
end

local function says(rows, name, state, found, todo)
  local row = rows[name]
  expect.equal(state, row.state, name)
  expect.truthy(row.found:find(found, 1, true), ("%s: %s"):format(name, row.found))
  if todo then
    expect.truthy(row.todo and row.todo:find(todo, 1, true), ("%s: %s"):format(name, row.todo))
  else
    expect.equal(nil, row.todo, name)
  end
end

local LIMITS = [[
Limit                     Soft Limit           Hard Limit           Units
Max open files            %s                 524288               files
Max locked memory         %s              8388608              bytes
Max realtime priority     %s                    0
]]
local CLOCK = "/sys/devices/system/clocksource/clocksource0/"

describe("the doctor", function()
  it("finds nothing wrong where all is well", function()
    local root <close> = root_with {
      ["/etc/hosts"] = "# comment\n127.0.1.1 here\n127.0.0.1\tlocalhost here.local # that is it\n",
      ["/etc/group"] = "root:x:0:\ndialout:x:20:me\n",
      ["/proc/self/limits"] = LIMITS:format(4096, "unlimited", 80),
      ["/proc/self/status"] = "Name:\tx\nUid:\t1000\t1000\nGid:\t1000\t1000\nCapEff:\t0000000000000000\n"
        .. "Groups:\t20 1000 \n",
      ["/proc/net/tcp"] = "  sl\n   0: 0100007F:1DB1 00000000:0000 0A 0:0\n",
      ["/usr/lib/x86_64-linux-gnu/libssl.so.3"] = "", ["/usr/lib/x86_64-linux-gnu/" .. core.jpeg_library()] = "",
      ["/usr/lib/x86_64-linux-gnu/libedit.so.2"] = "", ["/usr/lib/x86_64-linux-gnu/libz.so.1"] = "",
      ["/usr/lib/x86_64-linux-gnu/libmujoco.so.2.2.2"] = "", ["/usr/lib/x86_64-linux-gnu/libgif.so.7"] = "",
      ["/usr/lib/x86_64-linux-gnu/libexpat.so.1"] = "", ["/usr/lib/x86_64-linux-gnu/libddsc.so.0debian"] = "",
      ["/usr/lib/x86_64-linux-gnu/libEGL.so.1"] = "",
      [CLOCK .. "current_clocksource"] = "tsc\n",
      ["/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"] = "schedutil\n",
      ["/sys/class/net/can0/type"] = "280\n", ["/sys/class/net/can0/flags"] = "0x40081\n",
      ["/sys/class/net/eth0/type"] = "1\n",
    }
    local rows = look(root, "run", { TERM = "xterm", LANG = "de_DE.UTF-8" })
    for name, row in pairs(rows) do expect.equal("ok", row.state, name .. ": " .. row.found) end
    says(rows, "localhost", "ok", "127.0.0.1 in /etc/hosts")
    says(rows, "real time", "ok", "priority up to 80")
    says(rows, "open files", "ok", "4096 at most")
    says(rows, "locked memory", "ok", "no limit")
    says(rows, "CAN", "ok", "can0")
    says(rows, "terminal", "ok", "xterm, de_DE.UTF-8")
  end)

  it("tells what is wrong, and what to type", function()
    local root <close> = root_with {
      ["/etc/hosts"] = "127.0.1.1 localhost.localdomain\n::1 ip6-localhost\n#127.0.0.1 localhost\n",
      ["/etc/group"] = "dialout:x:20:me\n",
      ["/proc/self/limits"] = LIMITS:format(256, 65536, 0),
      ["/proc/self/status"] = "Uid:\t1000\t1000\nGid:\t1000\t1000\nGroups:\t1000 \n",
      ["/proc/net/tcp"] = "  sl\n   0: 0100007F:1DB0 00000000:0000 0A 0:0\n"
        .. "   2: 0100007F:1BA5 00000000:0000 0A 0:0\n   1: 0100007F:1234 0100007F:29CC 01 0:0\n",
      ["/proc/net/tcp6"] = ("  sl\n   0: %032d:29CC %032d:0000 0A 0:0\n"):format(0, 0),
      [CLOCK .. "current_clocksource"] = "hpet\n", [CLOCK .. "available_clocksource"] = "tsc hpet \n",
      ["/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"] = "powersave\n",
      ["/sys/class/net/can0/type"] = "280\n", ["/sys/class/net/can0/flags"] = "0x40080\n",
      ["/dev/ttyUSB0"] = "", -- of this user, who is another one there
    }
    local rows = look(root, "run", { TERM = "dumb" })
    says(rows, "localhost", "missing", "not in /etc/hosts", "echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts")
    says(rows, "port of robots", "optional", "7600 is taken", "--listen robotalk://localhost:7601")
    says(rows, "port of GTI", "optional", "10700 is taken", "--listen gti://localhost:10701")
    says(rows, "port of RCTP", "optional", "7077 is taken", "--listen rctp://localhost:7078")
    says(rows, "TLS", "optional", "not found", "install what Debian calls libssl3")
    says(rows, "the prompt", "optional", "not found", "install what Debian calls libedit2")
    says(rows, "URDF", "optional", "not found", "install what Debian calls libexpat1")
    says(rows, "films as GIF", "optional", "not found", "install what Debian calls libgif7")
    says(rows, "physics cameras", "optional", "not found", "install what Debian calls libegl1 libgl1-mesa-dri")
    says(rows, "real time", "optional", "no permission", "rtprio 80")
    says(rows, "locked memory", "optional", "0 MiB", "memlock")
    says(rows, "open files", "optional", "256 at most", "ulimit -n 4096")
    says(rows, "clock", "optional", "hpet", "echo tsc | sudo tee " .. CLOCK)
    says(rows, "processor", "optional", "powersave", "echo performance")
    says(rows, "terminal", "optional", "TERM is dumb", "export TERM=")
    says(rows, "serial ports", "optional", "no permission for /dev/ttyUSB0", "sudo usermod -aG dialout")
    says(rows, "CAN", "optional", "can0 is down", "sudo ip link set can0 up type can bitrate 1000000")
    says(look(root, "run", { TERM = "xterm", LC_ALL = "C" }), "terminal", "optional", "without UTF-8: C", "C.UTF-8")
  end)

  it("knows which packages are missing, of Debian", function()
    local root <close> = root_with { ["/etc/debian_version"] = "12.5\n", ["/usr/bin/gcc"] = "", ["/usr/bin/cmake"] = "",
      ["/usr/include/lua5.4/lua.h"] = "", ["/usr/include/aarch64-linux-gnu/openssl/ssl.h"] = "",
      ["/usr/lib/aarch64-linux-gnu/x"] = "" }
    local rows = look(root, "build")
    says(rows, "gcc", "ok", "/usr/bin/gcc")
    says(rows, "Lua headers", "ok", "/usr/include/lua5.4/lua.h")
    says(rows, "OpenSSL headers", "ok", "/usr/include/aarch64-linux-gnu/openssl/ssl.h")
    says(rows, "ninja", "missing", "not found", "sudo apt-get install ninja-build")
    says(rows, "libev", "missing", "not found", "sudo apt-get install libev-dev")
    says(look(root, "bench"), "swipl", "optional", "not found", "sudo apt-get install swi-prolog-nox")
  end)

  it("knows the packages that ./run and ./test install", function()
    local known = {}
    for _, row in ipairs(doctor.examine(machine.open("/nowhere", os.getenv), { "build", "test", "bench" })) do
      known[row.todo:match "calls (.*)$"] = true
    end
    local installed = assert(io.open ".ci/lib.sh"):read "a"
    local count = 0
    for list in installed:gmatch "%l+_packages=%(\n(.-)\n%)" do
      for line in list:gmatch "[^\n]+" do
        for package in line:gsub("#.*", ""):gmatch "%S+" do
          count = count + 1
          -- what comes with another one
          if package ~= "libclang-rt-14-dev" then expect.truthy(known[package], package) end
        end
      end
    end
    expect.truthy(count > 10, count)
  end)

  it("knows the adapters of serial ports", function()
    local adapters = "/sys/bus/usb-serial/devices/"
    local root <close> = root_with {
      [adapters .. "ttyUSB0/latency_timer"] = "1\n", [adapters .. "ttyUSB1/port"] = "0\n",
      ["/proc/12/comm"] = "robotalk\n", ["/proc/12/fd/0"] = "",
      ["/proc/34/comm"] = "lerobot\n", ["/proc/34/fd/0"] = "",
      ["/proc/56/comm"] = "robotalk-servo-\n", ["/proc/56/fd/0"] = "",
      ["/proc/78/comm"] = "bash\n", ["/proc/78/fd/x"] = "",
    }
    local function link(process, number, to)
      os.execute(("ln -s %s %s/proc/%d/fd/%d"):format(to or "/dev/ttyACM0", root.path, process, number or 5))
    end
    for _, number in ipairs { 0, 255 } do link(78, number, "/dev/pts/3") end -- its terminal
    link(56, 4, "/dev/ptmx")                                                 -- the bus behind a pseudo-terminal
    link(56, 5, "/dev/pts/4")
    local rows = look(root, "run")
    says(rows, "serial latency", "ok", "ttyUSB0 ttyUSB1")
    says(rows, "serial programs", "ok", "none has a port")
    os.execute(("echo 16 >%s%sttyUSB0/latency_timer"):format(root.path, adapters))
    link(12)
    rows = look(root, "run")
    says(rows, "serial latency", "optional", "ttyUSB0 hands its bytes over after 16 ms",
      "echo 1 | sudo tee /sys/bus/usb-serial/devices/ttyUSB0/latency_timer")
    says(rows, "serial programs", "ok", "/dev/ttyACM0: robotalk (12)")
    link(34)
    says(look(root, "run"), "serial programs", "optional", "/dev/ttyACM0: robotalk (12), /dev/ttyACM0: lerobot (34)",
      "kill 34")
    link(12, 6, "/dev/pts/4")
    says(look(root, "run"), "serial programs", "optional", "/dev/pts/4: robotalk (12), /dev/ttyACM0: lerobot (34)",
      "kill 34")
  end)

  it("has a place for what cannot be known", function()
    local root <close> = root_with { ["/etc/x"] = "" }
    local rows = look(root, "run")
    says(rows, "real time", "optional", "unknown", "ulimit -r")
    says(rows, "clock", "ok", "unknown")
    says(rows, "serial ports", "optional", "not in the group dialout", "sudo usermod -aG dialout")
    says(rows, "terminal", "optional", "TERM is not set", "export TERM")
  end)
end)
