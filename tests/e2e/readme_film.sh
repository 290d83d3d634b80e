#!/bin/bash
# The commands below the README's moving pictures make ones like them; here a second of each.
. "${BASH_SOURCE%/*}/lib.sh"
mapfile -t pictures < <(sed -n 's/^!.*(\(docs\/.*\.gif\))$/\1/p' README.md)
[ "${#pictures[@]}" -gt 0 ]
for picture in "${pictures[@]}"; do
    [ "$(head -c 6 "$picture")" = GIF89a ]
    [ "$(stat -c %s "$picture")" -lt 1500000 ]
    line=$(sed -n '/^    \.\/run run /{N;s/\\\n//p}' README.md | grep " --film $picture ")
    read -ra words <<<"$line"
    [ "${words[0]} ${words[1]}" = './run run' ]
    for i in "${!words[@]}"; do [ "${words[$i]}" != "$picture" ] || words[$i]=$work/picture.gif; done

    fails 0 "$ROBOTALK" "${words[@]:1}" --until 1 || {
        grep 'OpenGL\|EGL\|MuJoCo' "$work/out" || false
        skip "MuJoCo or OpenGL (libmujoco2.2.2, libegl1, libgl1-mesa-dri) is not installed: no film was made"
    }
    cmp -n 10 "$work/picture.gif" "$picture" # of the same kind and size
done
