-- What GET /metrics has for Prometheus: name, type, meaning; of: that has one, and the labels of that; label: one more.
local of = {
  robot = { "robot" },
  address = { "protocol", "address" },
  process = {},
}

local rows = {
  { "robotalk_robot_panic", "gauge", "1 while the robot is in panic", of = "robot" },
  { "robotalk_robot_panics_total", "counter", "panics", of = "robot" },
  { "robotalk_robot_moving", "gauge", "1 while a joint or the base moves", of = "robot" },
  { "robotalk_robot_fallen", "gauge", "1 while the body lies", of = "robot" },
  { "robotalk_robot_blocked", "gauge", "1 while an obstacle is in the way of the base", of = "robot" },
  { "robotalk_robot_battery_ratio", "gauge", "charge of the battery, 0 to 1; not there without a battery", of = "robot" },
  { "robotalk_robot_override_ratio", "gauge", "share of their speeds that motions have", of = "robot" },
  { "robotalk_robot_state_age_seconds", "gauge", "age of the newest state; it grows while a driver blocks the robot",
    of = "robot" },
  { "robotalk_robot_sessions", "gauge", "open sessions", of = "robot" },
  { "robotalk_robot_holders", "gauge", "clients that have leases", of = "robot" },
  { "robotalk_robot_deadman_stops_total", "counter", "stops of motions whose client was silent", of = "robot" },
  { "robotalk_robot_device_faults_total", "counter", "devices that were lost or reported a fault", of = "robot" },
  { "robotalk_robot_underruns_total", "counter", "commands that arrived after their start", of = "robot" },
  { "robotalk_commands_total", "counter", "commands by the signal of their result", of = "robot", label = "signal" },
  { "robotalk_command_reasons_total", "counter", "results by their reason, if they have one", of = "robot", label = "reason" },
  { "robotalk_command_lateness_seconds", "histogram", "how long after its start a command began", of = "robot" },
  { "robotalk_connections", "gauge", "open connections", of = "address" },
  { "robotalk_connections_total", "counter", "accepted connections", of = "address" },
  { "robotalk_received_bytes_total", "counter", "bytes from clients, without TLS", of = "address" },
  { "robotalk_sent_bytes_total", "counter", "bytes to clients, without TLS", of = "address" },
  { "robotalk_connections_refused_total", "counter",
    "clients that were refused or dropped: by an access list, TLS, a limit or their protocol", of = "process" },
  { "robotalk_build_info", "gauge", "always 1", of = "process", label = "version" },
  { "process_cpu_seconds_total", "counter", "processor time", of = "process" },
  { "process_start_time_seconds", "gauge", "start of the process, since 1970", of = "process" },
  { "process_resident_memory_bytes", "gauge", "memory", of = "process" },
  { "process_open_fds", "gauge", "open descriptors", of = "process" },
}

local function labels_of(row)
  local labels = table.move(of[row.of], 1, #of[row.of], 1, {})
  if row[2] == "histogram" then labels[#labels + 1] = "le" end
  labels[#labels + 1] = row.label
  return labels
end

return function(printer)
  local metrics = {}

  function metrics.tables()
    local lines, p = printer()
    p "/* Made by spec/gen.lua from spec/; do not edit. Metrics. */"
    p '#include "web/metrics.h"\n'
    p "const struct robo__metric robo__metrics[ROBO__METRICS] = {"
    for _, row in ipairs(rows) do
      p('    [ROBO__%s] = { "%s", "%s", "%s" },', row[1]:gsub("^robotalk_", ""):upper(), row[1], row[2], row[3])
    end
    p "};"
    p("_Static_assert(ROBO__METRICS == %d, \"spec/metrics.lua\");", #rows)
    return lines
  end

  function metrics.page()
    local lines, p = printer()
    p "<!-- Made by spec/gen.lua from spec/metrics.lua; do not edit. -->"
    p "# Metrics for Prometheus\n"
    p "`GET /metrics` at an address for pages ([page.md](../docs/page.md)) answers them in the text format 0.0.4. Names stay; later versions add some."
    p "[fleet.md](../docs/fleet.md#figures-and-alarms) has alarms.\n"
    p "| name | type | labels | meaning |\n| --- | --- | --- | --- |"
    for _, row in ipairs(rows) do p("| %s | %s | %s | %s |", row[1], row[2], table.concat(labels_of(row), ", "), row[3]) end
    return lines
  end

  return metrics
end
