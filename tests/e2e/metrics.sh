#!/bin/bash
# Figures of a server for Prometheus: by its own tool for them, and scraped by it once.
. "${BASH_SOURCE%/*}/lib.sh"
command -v prometheus >/dev/null && command -v promtool >/dev/null || exit 77
port=$((20000 + $$ % 10000))
cd "$work"
sed 's/name = "pioneer2"/name = "p\\"2"/' "$here/scripts/robots/pioneer2.lua" >quoted.lua
"$ROBOTALK" serve pioneer2 ./quoted.lua --listen "rctp://localhost:$port" --listen unix:robots 2>server &
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
curl -sS -H "Host: stranger.example" "http://localhost:$port/" >refused
curl -skS "https://localhost:$port/" >refused 2>&1 || true # TLS, where none is
curl -sS "http://localhost:$port/metrics" >out
promtool check metrics <out >promtool 2>&1
says '^robotalk_robot_panic{robot="pioneer2"} 1$'
says '^robotalk_commands_total{robot="pioneer2",signal="success"} 3$'
says '^robotalk_commands_total{robot="pioneer2",signal="panic"} 1$'
says '^robotalk_command_reasons_total{robot="pioneer2",reason="panic"} 1$'
says "^robotalk_connections_total{protocol=\"rctp\",address=\"localhost:$port\"} 3$"
says '^robotalk_command_lateness_seconds_bucket{robot="pioneer2",le="+Inf"} '
says '^robotalk_robot_panic{robot="p\\"2"} 0$'
says '^robotalk_received_bytes_total{protocol="robotalk",address="robots"} [1-9][0-9][0-9]'
says '^robotalk_sent_bytes_total{protocol="robotalk",address="robots"} [1-9][0-9][0-9]'
says '^robotalk_connections_refused_total 2$'
says '^robotalk_build_info{version="[0-9.]*"} 1$'
says '^robotalk_robot_underruns_total{robot="pioneer2"} '
[ "$(grep -c '^# TYPE ' out)" = "$(grep -c '^| [rp][^ ]*_' "$here/spec/metrics.md")" ] # those of the page, and no others
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
