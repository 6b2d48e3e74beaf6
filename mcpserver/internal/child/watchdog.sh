# Reads "+ group" and "- group" lines. When the pipe closes because its writer died, ends the groups that are left.
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
[ -n "$groups" ] || exit 0
for g in $groups; do kill -s TERM -- "-$g"; done
sleep 2
for g in $groups; do kill -s KILL -- "-$g"; done
exit 0
