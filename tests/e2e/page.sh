#!/bin/bash
# The page of a server, and /robotalk.js, in a browser without a window: its buttons without scripts; a page that drives, watches, sees and plays; two pages
# that contend, a stop and a panic of others; a server that hangs or refuses; a page of another server, which gets nothing unless its origin is listed.
. "${BASH_SOURCE%/*}/lib.sh"
find_browser "no page was shown in a browser"

# a port that nobody has
free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }

serve() {
    : >"$work/log"
    "$ROBOTALK" serve pioneer2 --listen "rctp://127.0.0.1:0$1" --listen "unix:$work/robotalk" 2>"$work/log" &
    server=$!
    eventually says "at rctp://127.0.0.1:" log
    place=http$(grep -o '://127[0-9.:]*' "$work/log")
}
end() { kill "$server" && ends_with 143 "$server"; }
page() { node tests/browser/page.mjs "$modules" "$chromium" "$place" "$@" >"$work/out" 2>&1; }

serve ""
page drive
says '"head success"'
says '"clipped modified limit"'
says '"go success"'
says '"at true -0.1"'
says '"together success success"'
says '"seen 320x240"'
says '"picture 160 120"'
says '"bad ENONE"'
page tape
says '"executed":11,"succeeded":true,"refused":0,"last":"success","pan":"0.50","drove":true'
page others
cat >"$work/expected" <<'END'
[
 "one success",
 "two busy lease",
 "holder one",
 "taken true",
 "handlers 0",
 "two success",
 "stopped by web page",
 "two interrupted stopped",
 "resumed success",
 "panicked by one",
 "in panic panic panic",
 1,
 "reset success"
]
END
diff "$work/expected" "$work/out"
grep -c "stopped by web page" "$work/log" >"$work/stops"
page lost
says '^\["broadcast ELINK","lost","panic ELINK","take ELINK"\]'
says '^\["lost false","link","back","lost false","link","back","drives success","again 1"\]'
page refused
says '^hangs ELINK no answer within 1 s$'
says '^refuses lost false, broadcast its token is not listed, lost true its token is not listed 1$'
says '^cockpit refused$'
page stranger
for what in module fetch socket frame; do says "^$what refused"; done
grep -c "stopped by web page" "$work/log" | diff "$work/stops" -
says "a page in a browser asks" log
page plain
says '^pioneer2 stands'
says '^picture true'
says '^in panic; the cockpit resets it$'
end

# beyond this machine: a link that lets in once
cert=$work/config/robotalk
"$ROBOTALK" keys server localhost >"$work/out"
"$ROBOTALK" keys token nobody watch --out "$work/tokens.d" >"$work/out"
: >"$work/log"
"$ROBOTALK" serve pioneer2 --listen "rctp+tls://localhost:0?allow=$cert/allow" 2>"$work/log" &
server=$!
eventually says "at rctp+tls://localhost:" log
place=https$(grep -o '://localhost[0-9.:]*' "$work/log")
fails 1 "$ROBOTALK" keys page anna drive "http://localhost"
"$ROBOTALK" keys page anna drive "$place" >"$work/link"
curl -skI "$(cat "$work/link")" >"$work/out" # a preview, which spends nothing
says '^HTTP/1.1 200'
curl -sk "$(cat "$work/link")" >"$work/out"
says '<form method="post">'
LINK=$(cat "$work/link") page link
says '^pioneer2$'
says '^cookie true true Strict$'
says '^drive success EROLE$'
says '^again 401 401$'
curl -sk "$(cat "$work/link")" >"$work/out"
says '^this link was used, is too old'
lacks "$(sed 's/.*link=//' "$work/link")" log
curl -sk "$place/robots.json" | grep -q 'the server wants a token'
"$ROBOTALK" keys list >"$work/out"
says '^anna  *drive  *page'
end

port=$(free_port)
serve "?origin=http://127.0.0.1:$port"
OTHER_PORT=$port page stranger
says '^module success'
says '^fetch 200'
says '^socket open'
says '^frame refused'
end

# a page of one's own, which is the example of docs/page.md, from another port
mkdir -p "$work/own of mine.d/a b"
printf "inner " >"$work/own of mine.d/a b/index.html"
sed -n '/^```html$/,/^```$/p' docs/page.md | sed '1d;$d' >"$work/own of mine.d/index.html"
port=$(free_port)
own=7078 www=(--www "$work/own of mine.d")
if (: </dev/tcp/localhost/7078) 2>"$work/out"; then # another test has it
    own=$(free_port) www=(--listen "rctp://localhost:$own?www=$work/own%20of%20mine.d")
fi
: >"$work/log"
"$ROBOTALK" serve pioneer2 --listen "rctp://localhost:$port?origin=http://localhost:$own" "${www[@]}" 2>"$work/log" &
server=$!
eventually says "listening at rctp://localhost:$own" log
if [ "$own" = 7078 ]; then # which another server wants, too
    fails 1 timeout 60 "$ROBOTALK" serve pioneer2 --listen "unix:$work/second" --www "$work/own of mine.d"
    says "at another port: --listen 'rctp://localhost:PORT?www=DIR'"
fi
sed -i "s/7077/$port/" "$work/own of mine.d/index.html"
place=http://localhost:$port PAGE=http://localhost:$own page own
says '^own 0\.00'
curl -s http://localhost:$own/robots.json | grep -q 'there is no such file'
curl -sL -w '%{url_effective}\n' "http://localhost:$own/a%20b?x" >"$work/out"
says "^inner http://localhost:$own/a%20b/$"
truncate -s 40M "$work/own of mine.d/large.bin"
curl -s "http://localhost:$own/large.bin" | cmp - "$work/own of mine.d/large.bin"
curl -s -X POST http://localhost:$own/pioneer2/stop | grep -q 'here are files'
end
