#!/bin/bash
# Figures of a server for Prometheus: by its own tool for them, and scraped by it once.
. "${BASH_SOURCE%/*}/lib.sh"
command -v prometheus >/dev/null && command -v promtool >/dev/null || exit 77
port=$((20000 + $$ % 10000))
cd "$work"
"$ROBOTALK" serve pioneer2 --listen "rctp://localhost:$port" --listen unix:robots 2>server &
server=$!
eventually says "listening at unix:robots" server
cat >drives.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect("unix:robots#pioneer2", { expiry = false })
for i = 1, 3 do assert(rt.ok(robot:set_joint("head", { pan = 0.1 * i }))) end
robot:panic()
print((robot:set_joint("head", { pan = 0 })))
LUA
"$ROBOTALK" run drives.lua >out
says '^PANIC$'
curl -sS "http://localhost:$port/metrics" >out
promtool check metrics <out >promtool 2>&1
says '^robotalk_robot_panic{robot="pioneer2"} 1$'
says '^robotalk_commands_total{robot="pioneer2",signal="success"} 3$'
says '^robotalk_commands_total{robot="pioneer2",signal="panic"} 1$'
says '^robotalk_command_reasons_total{robot="pioneer2",reason="panic"} 1$'
says "^robotalk_connections_total{protocol=\"rctp\",address=\"localhost:$port\"} 1$"
says '^robotalk_command_lateness_seconds_bucket{robot="pioneer2",le="+Inf"} '
says '^process_resident_memory_bytes [1-9]'

cat >prometheus.yml <<YML
scrape_configs:
  - job_name: robotalk
    scrape_interval: 1s
    static_configs:
      - targets: ["localhost:$port"]
YML
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="localhost:$((port + 1))" >prometheus 2>&1 &
scraped() {
    curl -sS "http://localhost:$((port + 1))/api/v1/query?query=robotalk_robot_panic" >out
    says '"robot":"pioneer2"},"value":\[[0-9.]*,"1"\]'
}
eventually scraped
end_server
