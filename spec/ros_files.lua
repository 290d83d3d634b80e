-- The C tables and the page of spec/ros.lua, for gen.lua.
return function(ros, printer)
local SIZE = { bool = 1, int8 = 1, uint8 = 1, int16 = 2, uint16 = 2, int32 = 4, uint32 = 4, float32 = 4, float64 = 8, string = 4 }

local function tables()
  local lines, p = printer()
  local number, least, deep = {}, {}, {}
  p "/* Made by spec/gen.lua from spec/; do not edit. Messages and topics of ROS. */"
  p '#include "ros/topics.h"\n'
  p "#include <stddef.h>\n"
  p "const struct robo__ros_message robo__ros_messages[] = {"
  for i, m in ipairs(ros.messages) do
    number[m.name], least[m.name], deep[m.name] = i - 1, 0, 1
    p('    { "%s", "%s", %s, %d, (const struct robo__ros_field[]){', m.name, m.dds, m.old.ahead and ("%q"):format(m.old.ahead) or '""', #m.fields)
    for _, f in ipairs(m.fields) do
      local size = assert(SIZE[f.type] or least[f.type], m.name .. "." .. f.name .. ": unknown type")
      least[m.name] = least[m.name] + (f.count == 0 and 4 or size * (f.count or 1))
      deep[m.name] = math.max(deep[m.name], 1 + (deep[f.type] or 0))
      p('        { "%s", "%s", ROBO__ROS_%s, %d, %s },', f.name, m.old[f.name] or f.name, SIZE[f.type] and f.type:upper() or "MESSAGE", f.count or 1,
        number[f.type] and ("&robo__ros_messages[%d]"):format(number[f.type]) or "NULL")
    end
    p("    }, %d },", least[m.name])
    assert(deep[m.name] <= 8, m.name .. ": deeper than ROBO__ROS_DEEP")
  end
  p "    { NULL, NULL, NULL, 0, NULL, 0 },\n};"
  p "\nconst struct robo__ros_topic_kind robo__ros_topics[ROBO__ROS_KINDS] = {"
  for _, t in ipairs(ros.topics) do
    local q = t[3]
    p('    [ROBO__ROS_%s] = { "%s", &robo__ros_messages[%d], %s, %s, %d, %d },', t.constant or t[1]:upper(), t[1], number[t[2]],
      q.reliable, q.latched, q.depth, t.rate or 0)
  end
  p "};"
  return lines
end

local function page()
  local lines, p = printer()
  p "<!-- Made by spec/gen.lua from spec/ros.lua; do not edit. -->"
  p "# Messages of ROS 2\n"
  p "Written as CDR (XCDR1: a header 00 01 00 00, little-endian, each number at a multiple of its size) or as JSON ([rosbridge.md](rosbridge.md)); CDR is"
  p "read in both byte orders. In C by `protocols/ros/message.h`, in Lua by `scripts/robotalk/ros2/cdr.lua`. A name with `:humble` has the layout of"
  p "that distribution, one with `:kilted` that of this and later ones. DDS calls `nav_msgs/msg/Odometry` `nav_msgs::msg::dds_::Odometry_`.\n"
  p "## Topics of a robot\n"
  p "| topic | type | QoS | message |\n| --- | --- | --- | --- |"
  for _, t in ipairs(ros.topics) do
    local q = t[3]
    p("| %s%s | %s | %s, %s, depth %d | %s%s |", t.of == "camera" and "CAMERA/" or t.of and "SENSOR/" or "", t[1], t[2], q.reliable and "reliable" or "best effort",
      q.latched and "transient local" or "volatile", q.depth, t.of and ("of a %s: "):format(t.of) or "",
      t.doc .. (t.rate and ("; at most %d a second"):format(t.rate) or ""))
  end
  p "\n## Messages\n"
  p "| message | fields |\n| --- | --- |"
  for _, m in ipairs(ros.messages) do
    local fields = {}
    for i, f in ipairs(m.fields) do
      fields[i] = ("%s %s%s"):format(f.name, f.type:match "[^/]+$", f.count and ("[%s]"):format(f.count > 0 and f.count or "") or "")
    end
    p("| %s | %s |", m.name, table.concat(fields, ", "))
  end
  return lines
end

return { tables = tables, page = page }
end
