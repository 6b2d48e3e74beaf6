# An MCP server with $1 tools, for the start of many at once. It needs nothing but a shell.
tools= comma=
n=0
while [ $n -lt "$1" ]; do
  tools="$tools$comma{\"name\":\"tool_$n\",\"description\":\"Finds what belongs to a project, newest first.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"project\":{\"type\":\"string\",\"description\":\"Its name.\"},\"limit\":{\"type\":\"integer\"}},\"required\":[\"project\"]}}"
  comma=,
  n=$((n + 1))
done
while IFS= read -r line; do
  case $line in
  *'"id":'*) ;;
  *) continue ;;
  esac
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*) answer='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
  *'"method":"tools/list"'*) answer="\"result\":{\"tools\":[$tools]}" ;;
  *) answer='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"
done
