#!/bin/bash
# A client of Foxglove's own library sees robots, and drives one where the operator allows it; both subprotocol names; the example of docs/foxglove.md.
. "${BASH_SOURCE%/*}/lib.sh"
find_modules doors "no client of Foxglove was tried"
mkdir "$work/js.d"
ln -s "$PWD/$modules" "$work/js.d/node_modules"
cp tests/doors/foxglove.mjs "$work/js.d"
sed -n '/^```js$/,/^```$/p' docs/foxglove.md | sed -n '/ws-protocol/,/^```$/p' | sed '$d' >"$work/js.d/own.mjs"
serve() {
    : >"$work/log"
    "$ROBOTALK" serve pioneer2_laser --listen "foxglove://127.0.0.1:0$1" 2>"$work/log" &
    server=$!
    eventually says "at foxglove://127.0.0.1:" log
    place=ws$(grep -o '://127[0-9.:]*' "$work/log")
}
client() { node "$work/js.d/foxglove.mjs" "$place" "$@" >"$work/out" 2>&1 || { cat "$work/out"; false; }; }

serve ""
client look
says '^server robotalk 0 true$'
says '^schemas true$'
says '^frames foxglove.FrameTransforms$'
says '^camera/camera foxglove.CompressedImage$'
says '^sensor/laser/scan foxglove.LaserScan$'
says '^log foxglove.Log$'
says '^frames pioneer2_laser/base pioneer2_laser/camera true$'
says '^picture jpeg ffd8ff$'
says '^scan 181$'
says '^urdf true$'
says '^status 2 advertise: clients may not publish here'
client names
says '^foxglove.sdk.v1 gives foxglove.sdk.v1$'
says '^foxglove.websocket.v1 gives foxglove.websocket.v1$'
says '^foxglove.websocket.v1,foxglove.sdk.v1 gives foxglove.sdk.v1$'
says '^other gives 400$'
sed -i "s|ws://localhost:8765|$place|" "$work/js.d/own.mjs"
node "$work/js.d/own.mjs" >"$work/out"
says '^pioneer2_laser/base at'
end_server
serve "?publish"
client drive
says '^server clientPublish json$'
says '^drives pioneer2_laser/base$'
says '^silence stops it$'
end_server
