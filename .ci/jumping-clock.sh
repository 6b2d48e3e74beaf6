#!/bin/sh
# jumping-clock.sh DIR writes DIR/overlay.json, for go test -overlay: a time package whose wall clock is set by minutes, ahead
# and back, five times a second, as a machine's is that wakes up or is corrected. Its monotonic clock is as it was, so whoever
# measures with time.Since, timers and deadlines notices nothing, and whoever compares what the clock on the wall says does.
set -e
dir=$(cd "$1" && pwd)
source=$(go env GOROOT)/src/time/time.go
awk '
	{ print }
	/^func Now\(\) Time \{$/ { inside = 1 }
	inside && /sec, nsec, mono := .*[nN]ow\(\)/ { print "\tsec += jumps[uint64(mono)/200_000_000%uint64(len(jumps))]"; inside = 0; found = 1 }
	END {
		if (!found) exit 1
		print "\nvar jumps = [...]int64{0, 1200, -900, 7, -60, 300}"
	}
' "$source" > "$dir/time.go" || { echo "time.Now is not where it was: $source" >&2; exit 1; }
printf '{"Replace": {"%s": "%s/time.go"}}\n' "$source" "$dir" > "$dir/overlay.json"
