#!/bin/bash
# One allocation of a program fails, whichever: it ends with its work done, or it says what is wrong. Nothing is lost
# silently: a task whose timer is lost would sleep for ever.
. "${BASH_SOURCE%/*}/lib.sh"
! grep -qE '__(asan|tsan)_init' "$ROBOTALK" || skip "a sanitizer has its own malloc"
command -v cc >/dev/null || skip "there is no cc for the allocator"

cat >"$work/fail.c" <<'C'
#include <errno.h>
#include <stdlib.h>
void *__libc_malloc(size_t size);
static long countdown; /* 0: none fails */
__attribute__((constructor)) static void begin(void)
{
    countdown = atol(getenv("FAIL_AT"));
}
void *malloc(size_t size)
{
    if (countdown > 0 && --countdown == 0) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}
C
cc -shared -fPIC -o "$work/fail.so" "$work/fail.c"
cat >"$work/sleepers.lua" <<'LUA'
local rt = require "robotalk"
local ended = 0
for _ = 1, 300 do
  rt.spawn(function()
    rt.sleep(1)
    ended = ended + 1
  end)
end
rt.run()
print(ended)
LUA
failed=0
for n in $(seq 30); do
    status=0
    FAIL_AT=$n LD_PRELOAD=$work/fail.so timeout "${ROBOTALK_PATIENCE:-300}" "$ROBOTALK" run --virtual "$work/sleepers.lua" \
        >"$work/out" 2>&1 || status=$?
    if [ $status != 0 ] || ! grep -q '^300$' "$work/out"; then
        failed=$((failed + 1))
        [ $status -lt 124 ]
        grep -qi memory "$work/out"
    fi
done
[ $failed -ge 3 ] # else nothing was tried
