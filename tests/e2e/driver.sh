#!/bin/bash
# What is installed is enough: a driver and a program in C are built with it alone, and a robot runs by that driver.
. "${BASH_SOURCE%/*}/lib.sh"
build=$(dirname "$(realpath "$ROBOTALK")")
cmake --install "$build" --prefix "$work/installed" >/dev/null
robotalk=$work/installed/bin/robotalk
lib=$(dirname "$(find "$work/installed" -name librobotalk.so)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
cp docs/driver/* "$work"
cd "$work"
read -ra cflags <<<"$(pkg-config --cflags robotalk)"
read -ra libs <<<"$(pkg-config --libs robotalk)"
cc -Wall -Wextra -Werror -shared -fPIC "${cflags[@]}" -o cart.so cart.c -lm
cc -Wall -Wextra -Werror "${cflags[@]}" -o host.bin host.c "${libs[@]}"
cc -Wall -Wextra -Werror "${cflags[@]}" -o late.bin late.c "${libs[@]}"
cc -Wall -Wextra -Werror "${cflags[@]}" -o ask.bin ask.c "${libs[@]}" -lpthread

# robotalk.h alone, in C and in C++, and each of the others
strict=(-Wall -Wextra -Werror -pedantic -fsyntax-only)
echo '#include <robotalk.h>' >alone.c
cc -std=c11 "${strict[@]}" "${cflags[@]}" alone.c
! command -v c++ >/dev/null || c++ "${strict[@]}" "${cflags[@]}" -x c++ alone.c
for header in "$work"/installed/include/robotalk/*.h; do
    printf '#include <robotalk/%s>\ntypedef int more; /* api.h declares nothing */\n' "${header##*/}" >alone.c
    cc -std=c11 "${strict[@]}" "${cflags[@]}" alone.c
done

# the descriptor beside it, from elsewhere
cat >drive.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(... .. "/cart.lua")
print(robot:set_speed{ x = 2 })
LUA
mkdir elsewhere
(cd elsewhere && "$robotalk" run ../drive.lua "$work") >out 2>&1 || true
says MODIFIED
"$robotalk" check cart.lua | grep -q cart
"$robotalk" run --dry-run drive.lua . >out 2>&1 || true
says SUCCESS # a simulator, since a dry run loads nobody's code
[ "$(./host.bin ./cart.so)" = "modified, limit" ]
[ "$(./late.bin)" = "success after 1 s" ]
[ "$(./ask.bin)" = $'success\ngo 3\nhalt' ]

# what is wrong is told
mv cart.so gone.so
fails 1 "$robotalk" run drive.lua .
says 'cart: file: ./cart.so: '
! ./host.bin ./cart.so 2>out
says 'cannot open shared object file'
