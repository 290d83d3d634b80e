#!/bin/bash
# robotalk serve by TLS: clients of the program, those of openssl, and a program that lacks the library.
. "${BASH_SOURCE%/*}/lib.sh"
command -v openssl >/dev/null || skip "there is no openssl"
cd "$work"
pair() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
        -keyout "$1.key" -out "$1.pem" 2>/dev/null
}
for name in robot anna bob; do pair $name; done
"$ROBOTALK" serve pioneer2 --listen "robotalk+tls://127.0.0.1:0?cert=robot.pem&key=robot.key&clients=anna.pem" 2>log &
server=$!
eventually says "listening at robotalk+tls://127.0.0.1:" log
url=$(grep -o 'robotalk+tls://[0-9.:]*' log) port=
port=${url##*:}
anna="?trust=robot.pem&cert=anna.pem&key=anna.key"

"$ROBOTALK" ping "$url$anna" >out
says "round trip"
"$ROBOTALK" repl --connect "$url$anna" -e 'robot:set_speed{ x = 0.1 }' -e 'robot:panic()' >out 2>&1
eventually says "panicked" log
# who does not fit
# logs TEXT COMMAND…: the log has one such line a second, of whoever comes first, so it may take another try
logs() {
    try() { "${@:2}" && sleep 1.1 && says "$1" log; }
    eventually try "$@"
}
logs "127.0.0.1:[0-9]* is dropped: it shows no certificate" fails 1 "$ROBOTALK" ping "$url?trust=robot.pem"
says "wants to see a certificate"
fails 1 "$ROBOTALK" ping "$url?trust=bob.pem&cert=anna.pem&key=anna.key"
says "not among those that are trusted"
logs "127.0.0.1:[0-9]* is dropped: its certificate is not among those that are trusted" \
    fails 1 "$ROBOTALK" ping "$url?trust=robot.pem&cert=bob.pem&key=bob.key"
logs "127.0.0.1:[0-9]* is dropped: TLS is not spoken there" fails 1 "$ROBOTALK" ping "robotalk://127.0.0.1:$port"
says "the server speaks TLS"

# openssl's own client: TLS 1.3, no ticket, nothing before it is asked for
(echo; sleep 1) | openssl s_client -connect "127.0.0.1:$port" -CAfile robot.pem -cert anna.pem -key anna.key >out 2>&1 || true
says "New, TLSv1.3"
says "Verification: OK"
lacks "New Session Ticket"
(echo; sleep 1) | openssl s_client -connect "127.0.0.1:$port" -cert anna.pem -key anna.key -sess_out session >out 2>&1 || true
if [ -s session ]; then # there is none to come back with, and nothing may be sent early
    (echo; sleep 1) | openssl s_client -connect "127.0.0.1:$port" -cert anna.pem -key anna.key -sess_in session -early_data robot.pem >out 2>&1 || true
    says "New, TLSv1.3"
    lacks "Reused"
    lacks "Early data was accepted"
fi
older() { openssl s_client -connect "127.0.0.1:$port" -tls1_2 </dev/null >out 2>&1 || true; }
logs "an older version" older
says "alert protocol version"
# a page in a browser is not heard by TLS either
page() {
    (printf 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n'; sleep 1) |
        openssl s_client -quiet -connect "127.0.0.1:$port" -cert anna.pem -key anna.key >out 2>&1 || true
}
logs "it speaks HTTP, and this address does not" page
lacks "HTTP"
end_server

# another protocol, served and spoken by the program
"$ROBOTALK" serve aibo_ers7 --listen "gti+tls://127.0.0.1:0?cert=robot.pem&key=robot.key&packed" 2>dog &
dog=$!
eventually says "at gti+tls://127.0.0.1:" dog
dog_url=$(grep -o 'gti+tls://[0-9.:]*' dog)
cat >client.lua <<LUA
local gti = require "robotalk.gti"
local dog <close> = assert(gti.connect "$dog_url?trust=robot.pem&packed")
for _ = 1, 100 do assert(type(assert(dog:query_sensors { "NECK:pan" })[1]) == "number") end
print(select(2, gti.connect "$dog_url?trust=bob.pem"))
LUA
"$ROBOTALK" run client.lua >out
says "not among those that are trusted"
kill $dog

# openssl's own server
openssl s_server -accept 127.0.0.1:0 -cert robot.pem -key robot.key -www >www 2>&1 &
eventually says "^ACCEPT 127.0.0.1:" www
port=$(sed -n 's/^ACCEPT 127.0.0.1://p' www | head -n 1)
fails 1 timeout "${ROBOTALK_PATIENCE:-300}" "$ROBOTALK" ping "robotalk+tls://127.0.0.1:$port?trust=bob.pem"
says "not among those that are trusted"

# what is wrong when it starts
chmod 640 robot.key
fails 1 "$ROBOTALK" serve pioneer2 --listen "robotalk+tls://127.0.0.1:0?cert=robot.pem&key=robot.key"
says "only its owner may read"
chmod 600 robot.key
fails 1 "$ROBOTALK" serve pioneer2 --listen "robotalk+tls://0.0.0.0:0?cert=robot.pem&key=robot.key"
says "a list of who may come in. Type: robotalk keys token anna drive && robotalk serve"
# a program that never needs the library does not ask for it
ldd "$ROBOTALK" >out
lacks libssl
mkdir broken
: >broken/libssl.so.3
LD_LIBRARY_PATH=$work/broken fails 1 "$ROBOTALK" ping "$url$anna"
says "TLS needs OpenSSL 3 (apt-get install libssl3)"
LD_LIBRARY_PATH=$work/broken "$ROBOTALK" run --virtual /dev/stdin <<<'print(1)'
