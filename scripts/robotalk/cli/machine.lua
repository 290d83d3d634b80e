-- The parts of a machine, read from its files: those of this one, or below another root (an image of a disk, a test).
local shell = require "robotalk.shell"
local Machine = {}
Machine.__index = Machine

---The machine below a folder, "" for this one. env: a function from names to values of the environment.
local function open(root, env)
  local machine = setmetatable({ root = root, env = env, folders = {} }, Machine)
  machine.path = root == "" and env "PATH" or "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  return machine
end

---The text of a file; nil when there is none. Those of /proc have no size, so it is read to its end.
function Machine:read(path)
  local file <close> = io.open(self.root .. path)
  return file and file:read(1 << 20)
end

---The first word of a file, or nil.
function Machine:word(path) return (self:read(path) or ""):match "^%s*(%S+)" end

---Names in a folder. Links count by their name: below another root an absolute one leads elsewhere.
function Machine:list(folder)
  local names, pipe = {}, io.popen("ls -1 " .. shell.quoted(self.root .. folder) .. " 2>/dev/null")
  for name in pipe:lines() do names[#names + 1] = name end
  pipe:close()
  return names
end

-- Whether a folder has an entry of that name.
function Machine:has(folder, name)
  local set = self.folders[folder]
  if not set then
    set = {}
    for _, other in ipairs(self:list(folder)) do set[other] = true end
    self.folders[folder] = set
  end
  return set[name]
end

---The path of a program, without the root, or nil.
function Machine:program(name)
  for folder in self.path:gmatch "[^:]+" do
    if self:has(folder, name) then return folder .. "/" .. name end
  end
end

-- The folders of headers and libraries, also by Debian's names of architectures.
function Machine:places()
  local places = { "/usr/include", "/usr/local/include", "/usr/lib", "/usr/local/lib", "/usr/lib64", "/lib", "/lib64" }
  for _, name in ipairs(self:list "/usr/lib") do
    if name:find "^[%w_]+%-linux%-gnu" then
      for _, place in ipairs { "/usr/include/", "/usr/lib/", "/lib/" } do places[#places + 1] = place .. name end
    end
  end
  return places
end

---The path of a header ("lua5.4/lua.h") or a library ("libssl.so.3"), or nil.
function Machine:file(name)
  self.known_places = self.known_places or self:places()
  local within, last = name:match "^(.*)/([^/]*)$"
  for _, place in ipairs(self.known_places) do
    if self:has(within and place .. "/" .. within or place, last or name) then return place .. "/" .. name end
  end
end

---A limit of this process by its name in /proc, soft: a number, math.huge, or nil.
function Machine:limit(name)
  local text = self:read "/proc/self/limits" or ""
  local at = select(2, text:find("\n" .. name, 1, true))
  local value = at and text:match("^%s+(%S+)", at + 1)
  return value == "unlimited" and math.huge or tonumber(value)
end

---The number of the user, and the set of the user's groups.
function Machine:user()
  local text, groups = self:read "/proc/self/status" or "", {}
  for number in ((text:match "\nGroups:([^\n]*)" or "") .. " " .. (text:match "\nGid:([^\n]*)" or "")):gmatch "%d+" do
    groups[tonumber(number)] = true
  end
  return tonumber(text:match "\nUid:%s*(%d+)"), groups
end

---Whether this process has a capability of the kernel, by its number.
function Machine:may(capability)
  local set = tonumber((self:read "/proc/self/status" or ""):match "\nCapEff:%s*(%x+)" or "0", 16)
  return set >> capability & 1 == 1
end

---The number of a group by its name, or nil.
function Machine:group(name)
  return tonumber((("\n" .. (self:read "/etc/group" or "")):match("\n" .. name .. ":[^:]*:(%d+)")))
end

---Whether a program listens at a TCP port.
function Machine:listens(port)
  local wanted = (":%04X %%x+:0000 0A"):format(port)
  for _, path in ipairs { "/proc/net/tcp", "/proc/net/tcp6" } do
    if (self:read(path) or ""):find(wanted) then return true end
  end
  return false
end

---Whether the user may read and write a device: true, or false and the number of the group that may.
function Machine:may_use(path)
  local pipe = io.popen("ls -lnL -d " .. shell.quoted(self.root .. path) .. " 2>/dev/null")
  local mode, group = pipe:read "a":match "^.([-rwxsStT]+)%S*%s+%d+%s+%d+%s+(%d+)"
  pipe:close()
  if not mode then return false end
  local user, groups = self:user()
  if user == 0 or mode:sub(7, 8) == "rw" or mode:sub(4, 5) == "rw" and groups[tonumber(group)] then return true end
  return false, tonumber(group)
end

return { open = open }
