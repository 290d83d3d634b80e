-- Certificates and signed permissions of DDS Security (OMG DDS Security 1.1, 9.4): a site's two certificate authorities
-- and its governance, and a folder for each of its participants.
local core = require "robotalk.core"

local M = {}

-- By role: topics and the partitions where they may be written; topics that may be read. A `*` stands for any text.
-- The partition of robotalk/up begins with the role that its client may have (spec/dds.md).
local ROS2 <const> = "rt/* rr/* ros_discovery_info "
local SEEN <const> = "robotalk/robots robotalk/states robotalk/readings robotalk/leases "

local function drives(partitions, denied)
  return { denied = denied, up = partitions, read = SEEN .. ROS2 .. "robotalk/standbys robotalk/down",
    written = "robotalk/panics robotalk/standbys rt/*cmd_vel rq/* ros_discovery_info" }
end

local ROLES <const> = {
  server = { written = SEEN .. ROS2 .. "rq/* robotalk/down robotalk/panics",
    read = SEEN .. ROS2 .. "rq/* robotalk/up robotalk/panics" },
  operate = drives "operate/* drive/*",
  drive = drives("drive/*", "rq/*resetRequest"),
  watch = { written = "robotalk/panics", read = SEEN .. "rt/* ros_discovery_info" },
}

---- XML

local HEAD <const> = '<?xml version="1.0" encoding="UTF-8"?>\n'
  .. '<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
  .. 'xsi:noNamespaceSchemaLocation="http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_%s.xsd">\n'
local DOMAINS <const> = "<domains><id_range><min>0</min><max>230</max></id_range></domains>\n" -- CycloneDDS: no more

-- Each word in an element of that name.
local function each(name, words) return (words:gsub("(%S+)%s*", ("<%s>%%1</%s>"):format(name, name))) end

local function criteria(kind, topics, partitions)
  return ("<%s><topics>%s</topics><partitions>%s</partitions></%s>\n"):format(kind, each("topic", topics),
    each("partition", partitions or "*"), kind)
end

-- Each NAME=VALUE as an element.
local function elements(text) return (text:gsub("(%S+)=(%S+)%s*", "<%1>%2</%1>\n")) end

-- Submessages are encrypted with the data in them, so data are not, once more; RTPS messages hold nothing else.
local GOVERNANCE <const> = HEAD:format "governance" .. "<domain_access_rules><domain_rule>\n" .. DOMAINS .. elements [[
  allow_unauthenticated_participants=false enable_join_access_control=true
  discovery_protection_kind=ENCRYPT liveliness_protection_kind=ENCRYPT rtps_protection_kind=NONE
]] .. "<topic_access_rules><topic_rule>\n" .. elements [[ topic_expression=*
  enable_discovery_protection=true enable_liveliness_protection=true
  enable_read_access_control=true enable_write_access_control=true
  metadata_protection_kind=ENCRYPT data_protection_kind=NONE
]] .. "</topic_rule></topic_access_rules></domain_rule></domain_access_rules></dds>\n"

local function permissions(name, role, days)
  local function date(in_days) return os.date("!%Y-%m-%dT%H:%M:%SZ", os.time() + in_days * 86400) end
  local r = ROLES[role]
  local denied = r.denied and ("<deny_rule>%s%s</deny_rule>\n"):format(DOMAINS, criteria("publish", r.denied)) or ""
  return HEAD:format "permissions" .. ('<permissions><grant name="%s">\n'):format(role)
    .. ("<subject_name>CN=%s</subject_name>\n"):format(name)
    .. ("<validity><not_before>%s</not_before><not_after>%s</not_after></validity>\n"):format(date(-1), date(days))
    .. denied .. "<allow_rule>" .. DOMAINS .. criteria("publish", r.written)
    .. (r.up and criteria("publish", "robotalk/up", r.up) or "") .. criteria("subscribe", r.read)
    .. "</allow_rule>\n<default>DENY</default>\n</grant></permissions></dds>\n"
end

---- files

-- Each CA signs one kind of document: otherwise a participant's key, which its CA vouches for, could sign permissions.
---@param folder string a new one
---@param days integer
function M.site(folder, days)
  for _, ca in ipairs { "identity_ca", "permissions_ca" } do
    local base = folder .. "/" .. ca
    local hash, why = core.make_key("robotalk " .. ca, nil, base .. ".pem", base .. ".key", days, true)
    if not hash then return nil, why end
  end
  local base = folder .. "/permissions_ca"
  return core.sign_text(GOVERNANCE, base .. ".pem", base .. ".key", folder .. "/governance.p7s")
end

M.roles = ROLES

-- Writes the files of a participant to the folder `to`: true; nil, message.
---@param site string the folder of M.site
function M.participant(name, role, site, to, days)
  local copied = {}
  for _, file in ipairs { "identity_ca.pem", "permissions_ca.pem", "governance.p7s" } do
    local text, why = core.read_file(site .. "/" .. file, 1 << 20)
    if not text then return nil, why end
    copied[file] = text
  end
  local ca = site .. "/identity_ca"
  local hash, why = core.make_key(name, nil, to .. "/cert.pem", to .. "/key.pem", days, false, ca .. ".pem",
    ca .. ".key")
  if not hash then return nil, why end
  ca = site .. "/permissions_ca"
  for file, text in pairs(copied) do
    local done
    done, why = core.write_file(to .. "/" .. file, text)
    if not done then return nil, why end
  end
  return core.sign_text(permissions(name, role, days), ca .. ".pem", ca .. ".key", to .. "/permissions.p7s")
end

return M
