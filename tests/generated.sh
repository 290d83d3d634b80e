#!/bin/bash
# The pages and annotations that spec/gen.lua writes must be what is committed. To bring it up to date: lua5.4 spec/gen.lua
set -u
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
lua5.4 spec/gen.lua pages "$out" || exit 1

status=0 count=0
while read -r file; do
    count=$((count + 1))
    diff -u "$file" "$out/$file" || status=1
done < <(cd "$out" && find . -type f | sed 's,^\./,,' | sort)
[ "$count" -gt 0 ] || { echo "spec/gen.lua wrote nothing"; status=1; }

# a codec made from the tables must know of each quantity how wide it is, of each reply its rows, and see nothing that does not travel
if grep -o '{[^{}]*}' "$out/spec/tables.json" | grep '"type":"real"' | grep -v '"scale":.*"wire":' ||
    grep -oE '\{[^{}]*"host":true[^{}]*\}|"reply":"[^"]*"' "$out/spec/tables.json"; then
    echo "spec/tables.json: rows that are not as they are on the wire"; status=1
fi

[ "$status" = 0 ] && echo "$count files are up to date"
exit "$status"
