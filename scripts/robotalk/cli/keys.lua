-- robotalk keys: the access list of this user's servers, and the tokens and keys of this machine.
local core = require "robotalk.core"
local json = require "robotalk.json"
local near = require "robotalk.mistakes.near"
local script = require "robotalk.cli.script"
local shell = require "robotalk.shell"
local token = require "robotalk.server.token"

local ROLES = { watch = true, drive = true, operate = true }

local function say(form, ...) core.say("out", form:format(...) .. "\n") end

local function must(value, why)
  if not value then script.fail(why) end
  return value
end

---- the user's own files

local function own(name)
  return must(core.config_path(name), "there is no home: neither XDG_CONFIG_HOME nor HOME is set")
end

-- A folder that only this user may enter.
local function make_folder(path) return shell.make_folder(path, "700") end

local function quoted(path)
  return path:find "[^%w/._+@-]" and shell.quoted(path) or path
end

local PRIVATE <const>, MINE <const> = 63, 18 -- bits that may not be set: 077, 022

-- Prints why servers and clients refuse that file, and the command to type; the user's own is corrected at once.
local function look_after(path, bits, is_own)
  local function warn(form, ...) core.say("err", ("robotalk: " .. form .. "\n"):format(...)) end
  local mode, is_mine = core.file_access(path)
  if not mode then return end
  if not is_mine then
    warn("%s belongs to another user, so it is not taken: chown \"$USER\" %s", path, quoted(path))
  elseif mode & bits ~= 0 and is_own then
    must(core.make_private(path))
    warn("%s had mode %03o; now only its owner may read it", path, mode & 511)
  elseif mode & bits ~= 0 then
    warn("%s has mode %03o, so it is not taken: chmod 600 %s", path, mode & 511, quoted(path))
  end
  if mode & MINE ~= 0 then warn("others could write %s: look at what stands there", path) end
end

local function look_after_all(list)
  for _, own_file in ipairs { { "allow", PRIVATE }, { "server.key", PRIVATE }, { "known_servers", MINE } } do
    local path = core.config_path(own_file[1])
    if path then look_after(path, own_file[2], true) end
  end
  if list then look_after(list, PRIVATE, false) end
end

local function folder_of(path) return path:match "^(.*)/[^/]*$" or "." end

---- the access list

local List = {}
List.__index = List

-- The list in that file, or an empty one. Lines are kept unchanged, except those that are removed.
local function open_list(path)
  local list = setmetatable({ path = path, lines = {} }, List)
  if not core.real_path(path) then return list end
  local text = must(core.read_file(path, 1 << 20))
  for line in text:gmatch "([^\n]*)\n?" do list.lines[#list.lines + 1] = line end
  while list.lines[#list.lines] == "" do list.lines[#list.lines] = nil end
  return list
end

-- name, role, kind, hash of each guest, with the number of its line.
function List:guests()
  local i = 0
  return function()
    while i < #self.lines do
      i = i + 1
      local name, role, kind, hash = self.lines[i]:match "^%s*([^%s#]%S*)%s+(%S+)%s+(%S+)%s+(%x+)%s*%d*%s*$"
      if name then return i, { name = name, role = role, kind = kind, hash = hash } end
    end
  end
end

function List:save()
  make_folder(folder_of(self.path))
  must(core.write_file(self.path, table.concat(self.lines, "\n") .. (self.lines[1] and "\n" or ""), true))
end

function List:add(name, role, kind, hash)
  if not self.lines[1] then
    self.lines[1] = "# Who may come in: NAME ROLE token|key HASH, or NAME ROLE page HASH UNTIL; "
      .. "robotalk keys writes it."
  end
  for i = #self.lines, 1, -1 do -- links whose cookies are over, too
    local til = self.lines[i]:match "%spage%s+%x+%s+(%d+)%s*$"
    if til and tonumber(til) + 86400 < os.time() then table.remove(self.lines, i) end
  end
  self.lines[#self.lines + 1] = ("%s %s %s %s"):format(name, role, kind, hash)
  self:save()
end

---- the actions

local function check_guest(name, role)
  if not (name and name:find "^[%w_.@-]+$" and #name <= 31) then
    script.fail(("expected a name of at most 31 letters, digits, _ . @ -, got %s"):format(name or "none"))
  end
  if not ROLES[role] then script.fail(("expected a role: watch, drive or operate, got %s"):format(role or "none")) end
end

local function no_file(path)
  if core.real_path(path) then script.fail(path .. ": there is such a file already") end
end

local actions = {}

-- A new key: server, or client NAME ROLE.
local function make_pair(name, hosts, base)
  make_folder(folder_of(base))
  no_file(base .. ".pem")
  no_file(base .. ".key")
  return must(core.make_key(name, hosts, base .. ".pem", base .. ".key")), base .. ".pem", base .. ".key"
end

actions[1] = { "server", "[HOST …]", "makes the key and the certificate that servers of this user show", 0, 100,
  function(args)
    local base = (args.out or own "server.pem":gsub("/[^/]*$", "")) .. "/server"
    local hosts = args[2] and table.concat(args, ",", 2) or nil
    local hash, cert, key = make_pair(args[2] or "robot", hosts, base)
    say("%s, %s\nits key is %s: clients see that when they connect for the first time", cert, key, hash)
  end }

actions[2] = { "token", "NAME ROLE", "makes a token, lists its hash, and writes it to NAME.token", 2, 2,
  function(args, list)
    local name, role = args[2], args[3]
    check_guest(name, role)
    local path = (args.out or ".") .. "/" .. name .. ".token"
    no_file(path)
    local text, hash = core.make_token()
    must(text, hash)
    if args.out then make_folder(args.out) end
    must(core.write_file(path, text .. "\n", true))
    list:add(name, role, "token", hash)
    say("%s may %s, and is listed in %s\n%s is for %s alone: --token-file, or token=FILE behind an address",
      name, role, list.path, path, name)
  end }

actions[3] = { "client", "NAME ROLE", "makes NAME.key and NAME.pem, a client's certificate, and lists the key", 2, 2,
  function(args, list)
    local name, role = args[2], args[3]
    check_guest(name, role)
    local hash, cert, key = make_pair(name, nil, (args.out or ".") .. "/" .. name)
    list:add(name, role, "key", hash)
    say("%s may %s, and is listed in %s\n%s and %s are for %s alone: ?cert=%s&key=%s behind an address",
      name, role, list.path, cert, key, name, cert, key)
  end }

actions[4] = { "add", "NAME ROLE CERT.pem", "lists the key of a certificate that was made elsewhere", 3, 3,
  function(args, list)
    check_guest(args[2], args[3])
    local hash, why = core.key_hash(args[4])
    list:add(args[2], args[3], "key", must(hash, why))
    say("%s may %s, and is listed in %s", args[2], args[3], list.path)
  end }

actions[5] = { "list", "", "prints the access list", 0, 0,
  function(args, list)
    local rows = {}
    for _, guest in list:guests() do rows[#rows + 1] = guest end
    if args.json then
      core.say("out", json.encode(json.record({}, { file = list.path, guests = rows })) .. "\n")
      return
    end
    for _, row in ipairs(rows) do say("%-20s %-8s %-6s %s", row.name, row.role, row.kind, row.hash) end
    if not rows[1] then say("nobody is listed in %s", list.path) end
  end }

-- Has a server read its list and keys again.
local function reload(url)
  local client = require "robotalk.robot.client"
  local who, why = token.of {}
  if why then script.fail(why) end
  if url:find "^rctp[+:]" then
    script.fail(url .. ": RCTP has no word for it: expected an address of RoboTalk, robotalk://host[:port] or "
      .. "unix:PATH. A server that has none gets one beside the others: --listen unix:PATH")
  end
  local link, up, answer
  link, why = client.connect(url, { token = who })
  must(link, why)
  up, why = link:up(6)
  if up then answer, why = link:query(0, "lists", {}) end
  link:close()
  must(answer, ("%s: %s"):format(url, why))
  say("%s: read again for %d %s; %d %s", url, answer.addresses, answer.addresses == 1 and "address" or "addresses",
    answer.ended, answer.ended == 1 and "connection ends" or "connections end")
end

actions[6] = { "revoke", "NAME", "removes all tokens, keys and links of that name from the list", 1, 1,
  function(args, list)
    local names, taken = {}, 0
    for i, guest in list:guests() do
      names[#names + 1] = guest.name
      if guest.name == args[2] then list.lines[i], taken = false, taken + 1 end
    end
    if taken == 0 then
      local meant = near(args[2], names)
      script.fail(("nobody is called %s in %s%s"):format(args[2], list.path,
        meant and (": did you mean %s?"):format(meant) or ""))
    end
    local left = {}
    for _, line in ipairs(list.lines) do if line then left[#left + 1] = line end end
    list.lines = left
    list:save()
    say("%s: %d taken out of %s", args[2], taken, list.path)
    if args.reload then
      reload(args.reload)
    else
      say("%s still drives where a connection is open, until its server reads the list: robotalk keys reload URL",
        args[2])
    end
  end }

actions[7] = { "forget", "HOST[:PORT]", "forgets a server's key: the next one that it shows is then known", 1, 1,
  function(args)
    local known, names, taken = open_list(own "known_servers"), {}, 0
    local server = args[2]:find(":%d+$") and args[2] or args[2] .. ":7600"
    local left = {}
    for _, line in ipairs(known.lines) do
      local name = line:match "^%s*([^%s#]%S*)"
      if name == server then taken = taken + 1 else left[#left + 1] = line end
      names[#names + 1] = name
    end
    if taken == 0 then
      local meant = near(server, names)
      script.fail(("%s is not known%s"):format(server, meant and (": did you mean %s?"):format(meant) or ""))
    end
    known.lines = left
    known:save()
    say("%s is not known any more", server)
  end }

actions[8] = { "reload", "[URL]", "has a server (robotalk://localhost) read its list and keys again", 0, 1,
  function(args) reload(args.connect or args[2] or "robotalk://localhost") end }

local LINK <const> = 300 -- s

actions[9] = { "page", "NAME ROLE https://HOST[:PORT]",
  "prints a link that opens a server's page once, for 5 minutes", 3, 3,
  function(args, list)
    check_guest(args[2], args[3])
    local host = args[4]:match "^https://([^/?#%s]+)/?$"
    if not host then script.fail(("expected https://HOST[:PORT], got %s"):format(args[4])) end
    local text, hash = core.make_token()
    must(text, hash)
    list:add(args[2], args[3], "page", ("%s %d"):format(hash, os.time() + LINK))
    say("https://%s/enter?link=%s", host:find ":%d+$" and host or host .. ":7077", text)
  end }

-- Certificates of DDS Security: a site's own, or a folder of a participant.
local function make_dds(args)
  local permissions = require "robotalk.fleet.permissions"
  local name, role, site = args[2], args[3], args[4]
  local is_site = name == "site" and not site
  local folder = is_site and role or (args.out or site or "") .. "/" .. name
  local days = tonumber(args.days or 3650)
  if not (days and days >= 1 and days <= 36500 and days % 1 == 0) then
    script.fail("--days: expected 1 to 36500, got " .. args.days)
  end
  if not is_site and not (site and permissions.roles[role] and name:find "^[%w_@-][%w_.@-]*$" and #name <= 31) then
    script.fail("expected site FOLDER, or a name of at most 31 letters, digits, _ . @ -, a role (server, operate, "
      .. "drive or watch) and the site's folder")
  end
  if not is_site and not core.real_path(site .. "/governance.p7s") then
    script.fail(("%s is no site's folder: robotalk keys dds site %s makes one"):format(site, quoted(site)))
  end
  no_file(folder .. "/key.pem")
  must(make_folder(folder))
  days = math.tointeger(days)
  if is_site then
    must(permissions.site(folder, days))
    say("%s is a site: robotalk keys dds NAME ROLE %s makes a participant's folder\nIts two files .key make more "
      .. "participants: keep them on no robot", folder, quoted(folder))
  else
    must(permissions.participant(name, role, site, folder, days))
    say("%s is for %s alone, with the role %s: ?security=%s behind an address dds://", folder, name, role, folder)
  end
end

actions[10] = { "dds", "NAME ROLE SITE | site SITE",
  "makes SITE/NAME, a participant's certificate and permissions for DDS; or first the site", 2, 3, make_dds }

local words, names = {}, {}
for i, action in ipairs(actions) do
  names[i] = action[1]
  local left = action[1] .. " " .. action[2]
  words[i] = ("  %s%s %s"):format(left, (" "):rep(28 - utf8.len(left)), action[3])
end

return {
  usage = "WHAT [ARG …] [--list FILE] [--out DIR]",
  details = table.concat(words, "\n")
    .. "\n\nThe list is ~/.config/robotalk/allow (XDG_CONFIG_HOME is used); it holds hashes of tokens, not tokens.\n"
    .. "Roles: watch queries, stops and panics; drive also commands; operate also resets and changes descriptions.\n"
    .. "Details: docs/access.md.",
  options = {
    { "list", "FILE", "another access list: allow=FILE behind a server's address" },
    { "out", "DIR", "folder for new files (server: ~/.config/robotalk; dds: SITE; otherwise this one)" },
    { "reload", "URL", "revoke: has that server read the list again, which ends the connections of NAME" },
    { "days", "N", "dds: that certificates and permissions are good for (3650)" },
    { "connect", "URL", "reload: the same as URL" },
    token.option,
    { "json", nil, "as JSON" },
  },
  example = "robotalk keys server && robotalk keys token anna drive",
  main = function(args)
    token.file = args["token-file"]
    local action
    for _, one in ipairs(actions) do if one[1] == args[1] then action = one end end
    if not action then
      local meant = args[1] and near(args[1], names)
      script.complain(("keys: expected %s%s (robotalk keys --help)"):format(table.concat(names, ", "),
        meant and (": did you mean %s?"):format(meant) or args[1] and ", got " .. args[1] or ""))
      return 2
    end
    if #args - 1 < action[4] or #args - 1 > action[5] then
      script.complain(("keys: expected %s %s"):format(action[1], action[2]))
      return 2
    end
    if not script.open {} then return 1 end
    local ok, message = script.main(function()
      look_after_all(args.list)
      action[6](args, open_list(args.list or own "allow"))
    end)
    if not ok then script.complain(message) end
    return ok and 0 or 1
  end,
}
