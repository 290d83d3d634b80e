#!/bin/bash
# Every body that comes along, and the URDF files of the tests, in a dynamics engine: as robotalk writes them they load in
# MuJoCo, and a second of falling about leaves finite numbers.
. "${BASH_SOURCE%/*}/lib.sh"
"${CC:-cc}" -O1 -o "$work/load.out" tests/mujoco/load.c -lmujoco -lm >"$work/build" 2>&1 ||
    skip "MuJoCo (libmujoco-dev) is not installed: no body was loaded in a dynamics engine"

files=()
for body in scripts/robots/*.lua tests/urdf/{arm,wild,wrist}.urdf; do
    name=${body##*/}
    "$ROBOTALK" convert "$body" "$work/${name%.*}.urdf" 2>"$work/notes"
    files+=("$work/${name%.*}.urdf")
done
[ ${#files[@]} -ge 11 ]
"$work/load.out" "${files[@]}" >"$work/out" || { echo "not loaded, or not finite"; false; }
# nothing is missing: dofs and masses as the descriptors have them, 1 g for each of 0 to 2 links of a chain
says 'arm004.urdf: 8 bodies, 7 dofs, 14 kg'
says 'asimo.urdf: 35 bodies, 34 dofs, 44.'
says 'puma560.urdf: 7 bodies, 6 dofs, 23.451 kg'

# the program finds what was wrong: a moving link without a mass
sed '/<inertial>/,/<\/inertial>/d' "$work/pioneer2.urdf" >"$work/massless.urdf"
fails 1 "$work/load.out" "$work/massless.urdf"
says 'mass and inertia of moving bodies'
