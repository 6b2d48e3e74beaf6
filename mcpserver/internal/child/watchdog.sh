# Reads "+ group" and "- group" lines. When the pipe closes because its writer died, ends the groups that are left, and on
# Linux whatever else carries the marker of our children in its environment.
marker=$1
groups=
while read -r op id; do
  case $op in
    +) groups="$groups $id" ;;
    -)
      left=
      for g in $groups; do [ "$g" = "$id" ] || left="$left $g"; done
      groups=$left
      ;;
  esac
done
signal() {
  for g in $groups; do kill -s "$1" -- "-$g"; done
  for f in $(grep -a -s -l -e "$marker" /proc/[0-9]*/environ); do
    f=${f#/proc/}
    kill -s "$1" "${f%/environ}"
  done
}
[ -n "$groups" ] || exit 0
signal TERM
sleep 2
signal KILL
exit 0
