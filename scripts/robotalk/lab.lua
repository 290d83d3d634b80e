-- Many machines in one test: each has a name, an address and a network namespace. A switch in this process delays
-- frames between them, loses some, and cuts machines off (core/net/lan.c). All machines end with this process.
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local lab = {}

local SIGTERM <const>, MOST <const> = 15, 64 -- MOST: of machines

-- ---- programs on a machine ----

local Process = {}
Process.__index = Process

---Whether it has ended.
function Process:ended() return not self.lan:signal(self.number, 0) end

---Sends a signal, a number of the system (15, SIGTERM, without one): true; nil, message, "ENONE".
function Process:signal(number) return self.lan:signal(self.number, number or SIGTERM) end

---The text that it has printed so far.
function Process:output()
  local file <close> = io.open(self.file)
  return file and file:read "a" or ""
end

---Waits until its output has that pattern: the captures; nil, message, "ETIMEOUT" or, once it has ended, "ECLOSED".
function Process:expect(pattern, timeout)
  local late = core.now() + timeout
  while true do
    local over = self:ended()
    local found = table.pack(self:output():match(pattern))
    if found[1] then return table.unpack(found, 1, found.n) end
    if over or core.now() > late then
      return nil, ("%s: %s; it has printed:\n%s"):format(self.name, over and "it has ended" or "not in time",
        self:output()), over and "ECLOSED" or "ETIMEOUT"
    end
    task.sleep(0.02)
  end
end

-- ---- networks ----

local Net = {}
Net.__index = Net
Net.__close = function(self) self:close() end

local function machine(self, name)
  return self.numbers[name] or mistake("lab: there is no machine '%s'", tostring(name))
end

---The address of a machine, 10.35.0.N.
function Net:address(name) return ("10.35.0.%d"):format(machine(self, name) + 1) end

---Starts a program on a machine, { program, argument, … }: "robotalk" is this program. A machine that was killed is a
---new one then. A process; nil, message, code.
function Net:run(name, words)
  local number = machine(self, name)
  if not self.up[number] then
    local made, why, code = self.lan:plug(number)
    if not made then return nil, ("lab: %s: %s"):format(name, why), code end
    self.up[number] = true
  end
  self.runs = self.runs + 1
  local argv = { table.unpack(words) }
  if argv[1] == "robotalk" then argv[1] = core.real_path "/proc/self/exe" end
  local file = ("%s/%d-%s"):format(self.folder, self.runs, name)
  local process, why, code = self.lan:run(number, argv, file)
  if not process then return nil, ("lab: %s: %s"):format(name, why), code end
  return setmetatable({ lan = self.lan, number = process, file = file, name = name }, Process)
end

---Cuts those machines from the others, and not from each other.
function Net:cut(names)
  self.cuts = self.cuts + 1
  for _, name in ipairs(names) do self.lan:group(machine(self, name), self.cuts) end
end

---Ends all cuts.
function Net:heal()
  for _, number in pairs(self.numbers) do self.lan:group(number, 0) end
end

---A machine dies: first no frame of it reaches the others any more, then its programs are killed.
function Net:kill(name)
  self.lan:unplug(machine(self, name))
  self.up[machine(self, name)] = nil
end

---Numbers of frames that machines have sent, and of copies that were lost, or not passed on by a cut.
function Net:counts() return self.lan:counts() end

---Kills all machines.
function Net:close() self.lan:close() end

---A network. options: machines, a list of names; delay, and up to jitter more, s, of each frame; loss, a share of the
---frames; rate, bytes a second to each machine; seed; folder, for the output of programs. nil, message, code.
function lab.open(options)
  if #options.machines > MOST then mistake("lab: want at most %d machines, got %d", MOST, #options.machines) end
  local numbers = {}
  for i, name in ipairs(options.machines) do numbers[name] = i - 1 end
  local lan, why, code = core.lan { delay = options.delay, jitter = options.jitter, loss = options.loss,
    rate = options.rate, window = options.window, seed = options.seed }
  if not lan then return nil, why, code end
  return setmetatable({ lan = lan, numbers = numbers, up = {}, runs = 0, cuts = 0, folder = options.folder }, Net)
end

return lab
