local cdr = require "robotalk.ros2.cdr"
local core = require "robotalk.core"
local json = require "robotalk.json"
local script = require "robotalk.cli.script"
local task = require "robotalk.task"
local topics = require "robotalk.ros2.topics"

local NODES <const> = "rmw_dds_common/msg/ParticipantEntitiesInfo"
local TOPICS <const>, SERVICES <const> = { "publishers", "subscribers" }, { "servers", "clients" }
local KINDS <const> = { { "nodes", TOPICS }, { "topics", TOPICS }, { "services", SERVICES }, { "actions", SERVICES } }

-- The kind of an endpoint's topic, service or action, its name and type in ROS; nil: it is none of ROS, or is not
-- counted. Of a service its replies are counted, and of an action those that accept goals.
local function meaning(e)
  local prefix, name = e.topic:match "^(r[tr])(/.+)$"
  local type, action = topics.type(e.type), name and name:match "^(.+)/_action/"
  if action and name:find "/send_goalReply$" then return KINDS[4], action, (type:gsub("_SendGoal_Response$", "")) end
  if not prefix or action then return nil end
  if prefix == "rt" then return KINDS[2], name, type end
  return KINDS[3], name:gsub("Reply$", ""), (type:gsub("_Response$", ""))
end

-- The rows of a domain by their kinds: listens to it for that time.
local function listen(url, seconds)
  local info, why = topics.open(url, { name = "/ros_discovery_info", wire = "ros_discovery_info", message = NODES,
    reliable = true, lasting = true, depth = 0 })
  if not info then script.fail(why) end
  task.sleep(seconds)
  local found, rows = { nodes = {}, topics = {}, services = {}, actions = {} }, {}
  local function add(kind, name, type, publishers, subscribers)
    local key = ("%s %s %s"):format(kind[1], name, type)
    local one = rows[key] or { name = name, type = type, [kind[2][1]] = 0, [kind[2][2]] = 0 }
    if not rows[key] then table.insert(found[kind[1]], one) end
    rows[key] = one
    one[kind[2][1]], one[kind[2][2]] = one[kind[2][1]] + publishers, one[kind[2][2]] + subscribers
    return one
  end
  for _, e in ipairs(info.core:list()) do
    local kind, name, type = meaning(e)
    local one = kind and add(kind, name, type, e.writes and 1 or 0, e.writes and 0 or 1)
    if kind == KINDS[2] and (e.writes or not one.qos) then
      one.qos = (e.reliable and "reliable" or "best effort") .. (e.lasting and ", transient local" or "")
    end
  end
  local participants = {} -- what each says last of its nodes
  while true do
    local event, _, bytes = info.core:take()
    if not event then break end
    local said = event == "sample" and (cdr.decode(NODES, bytes) or cdr.decode(NODES .. ":humble", bytes))
    if said then participants[said.gid.data:sub(1, 16)] = said.node_entities_info_seq end
  end
  for _, nodes in pairs(participants) do
    for _, node in ipairs(nodes) do
      add(KINDS[1], topics.absolute(node.node_namespace, node.node_name), nil, #node.writer_gid_seq,
        #node.reader_gid_seq)
    end
  end
  for _, list in pairs(found) do table.sort(list, function(a, b) return a.name < b.name end) end
  return found
end

local function show(found)
  for _, kind in ipairs(KINDS) do
    local first, second = kind[2][1], kind[2][2]
    local lines = { { kind[1], kind == KINDS[1] and "" or "type", first, second, kind == KINDS[2] and "QoS" or "" } }
    for _, one in ipairs(found[kind[1]]) do
      lines[#lines + 1] = { one.name, one.type or "", ("%d"):format(one[first]), ("%d"):format(one[second]), one.qos }
    end
    for _, line in ipairs(#lines > 1 and script.columns(lines, { [3] = true, [4] = true }) or {}) do
      core.say("out", line .. "\n")
    end
  end
end

return {
  usage = "list [dds://DOMAIN] [--seconds S] [--json]",
  details = "With types, numbers of publishers and subscribers (servers and clients), and the QoS of topics. ROS 2\n"
    .. "need not be installed. Beyond this machine: dds://0?multicast, dds://0?peer=ADDRESS. docs/from_ros2.md",
  options = { { "seconds", "S", "listens for that time (1)", number = { 0.1, 60 } }, { "json", nil, "as JSON" } },
  names = function() return { "list" } end,
  example = "robotalk ros2 list dds://0",
  exits = "0 done, 1 failed, 2 wrong usage",
  main = function(args)
    local url = args[2] or "dds://0"
    if args[1] ~= "list" or #args > 2 or not url:find "^dds://" then
      script.complain "ros2: want list, and an address dds://DOMAIN (robotalk ros2 --help)"
      return 2
    end
    if not script.open {} then return 1 end
    local found
    if not script.ask(url, function() found = listen(url, args.seconds or 1) end) then return 1 end
    if args.json then core.say("out", json.encode(found) .. "\n") else show(found) end
    return 0
  end,
}
