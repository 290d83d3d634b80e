#!/bin/bash
# robotalk snapshot: pictures of each kind of camera, in each format, from a robot of the program's own and of servers.
. "${BASH_SOURCE%/*}/lib.sh"
cd "$work"
mkdir photos
cat >seer.lua <<'LUA'
return {
  name = "seer", base = {}, links = { [0] = { name = "hull" } },
  drivers = { photos = { driver = "folder", folder = "photos" }, gone = { driver = "v4l2", device = "/nowhere/video0" } },
  cameras = { { name = "eye", link = "hull", width = 64, height = 48 }, { name = "card", link = "hull", driver = "pattern" },
    { name = "shots", link = "hull", driver = "photos" }, { name = "usb", link = "hull", driver = "gone" } },
}
LUA
fails 1 "$ROBOTALK" snapshot ./seer.lua shots none.jpg # the folder is empty
says "camera shots of robot seer gives no picture"
"$ROBOTALK" snapshot pioneer2 photos/1.jpg --width 100 >out
says "^photos/1.jpg: picture 1 of camera, 80 x 60, "
"$ROBOTALK" snapshot ./seer.lua first.jpg >out
says "^first.jpg: picture 1 of eye, 64 x 48, "
"$ROBOTALK" snapshot ./seer.lua card card.png >out
says "^card.png: picture 1 of card, 320 x 240, "
"$ROBOTALK" snapshot ./seer.lua shots shots.jpg >out
cmp shots.jpg photos/1.jpg # as it is
fails 1 "$ROBOTALK" snapshot ./seer.lua usb usb.jpg
says "/nowhere/video0: it cannot be opened: No such file"
says "camera usb of robot seer gives no picture"
fails 1 "$ROBOTALK" snapshot ./seer.lua nose nose.jpg
says "robot seer has no camera nose; it has eye, card, shots, usb"
for missing in none usb nose; do [ ! -e $missing.jpg ]; done

"$ROBOTALK" serve ./seer.lua --listen unix:talk --listen rctp+unix:rctp 2>log &
eventually test -S talk
eventually test -S rctp
for url in unix:talk rctp+unix:rctp#seer; do
    "$ROBOTALK" snapshot "$url" shots far.jpg >out
    cmp far.jpg photos/1.jpg
    "$ROBOTALK" snapshot "$url" card far.ppm --height 120 >out
    "$ROBOTALK" snapshot "$url" card far.pgm >out
    "$ROBOTALK" snapshot "$url" card far.png >out
    [ "$(head -c 15 far.ppm | tr '\n' ' ')" = "P6 160 120 255 " ]
    [ "$(head -c 15 far.pgm | tr '\n' ' ')" = "P5 320 240 255 " ]
    [ "$(head -c 8 far.png | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ]
    says "^far.png: picture [0-9]* of card, 320 x 240, $(stat -c %s far.png) bytes"
    # what a behaviour there finds in it: the white bar of the card
    cat >look.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(...)
local picture = assert(robot:camera("card"):frame())
local bar = assert(picture:blob "white")
assert(bar.left == 0 and bar.top == 0 and bar.width > 20 and bar.area > 1000)
assert(select("#", picture:pixel(319, 239)) == 3)
assert(rt.picture(picture:jpeg()):card())
LUA
    "$ROBOTALK" run look.lua "$url"
done

# in a world: by the robot's camera, by the world's view, from a place; and what none of these can be
refuses '--view: expected world, or six numbers in m, X,Y,Z,X,Y,Z: from where, to where, got 1,1,1,0,0' "$ROBOTALK" snapshot no.png --view 1,1,1,0,0
refuses '--view: a .pgm is gray' "$ROBOTALK" snapshot no.pgm --view world
refuses 'want a robot of this process, got unix:talk' "$ROBOTALK" snapshot unix:talk no.png --world maze
fails 1 "$ROBOTALK" snapshot no.png --world nowhere
[ ! -e no.png ] && [ ! -e no.pgm ]
"$ROBOTALK" snapshot eye.png --world soccer >out 2>&1 || true
! grep 'OpenGL\|EGL' out || skip "OpenGL (libegl1, libgl1-mesa-dri) is not installed: no world was seen"
says '^eye.png: picture 1 of camera, 320 x 240, '
# the simulation waits for the picture, which is the same whatever the machine does meanwhile, and says nothing
"$ROBOTALK" snapshot again.png --world soccer >out 2>err
cmp eye.png again.png
says ', 0 ms old$'
[ ! -s err ]
"$ROBOTALK" snapshot puma560 arm.jpg --world table >out # it has no camera
says '^arm.jpg: picture 1 of world, 640 x 480, '
"$ROBOTALK" snapshot above.png --world soccer --view 0,0,5,0.1,0,0 --width 160 >out
says "^above.png: picture 1 of world, 160 x 120, $(stat -c %s above.png) bytes"
"$ROBOTALK" snapshot aside.png --world soccer --view world --height 120 >out
says '^aside.png: picture 1 of world, 160 x 120, '
! cmp -s above.png aside.png
