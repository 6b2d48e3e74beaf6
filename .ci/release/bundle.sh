#!/usr/bin/env bash
# Makes the bundle for Claude Desktop, of the binary for this machine that build.sh left in dist/, validates it with
# Anthropic's own tool, and writes the server.json that names it. The same binary gives the same bytes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
export LC_ALL=C TZ=UTC

version=$(cat dist/VERSION)
os=$(go env GOHOSTOS) arch=$(go env GOHOSTARCH)
binary=dist/work/codemode_${version}_${os}_$arch/codemode
[[ -x $binary ]] || { echo "bundle.sh: $binary is not there; run make release first" >&2; exit 1; }
name=codemode_${version}_${os}_$arch.mcpb
dir=dist/work/bundle
rm -rf "$dir" "dist/$name" && mkdir -p "$dir/server"
cp "$binary" "$dir/server/codemode"
jq --arg version "$version" --arg os "$os" '.version = $version | .compatibility.platforms = [$os]' "$here/manifest.json" >"$dir/manifest.json"

mcpb=$here/node_modules/.bin/mcpb
"$mcpb" validate "$dir/manifest.json"
find "$dir" -exec touch -h -d "@$(git log -1 --format=%ct)" {} +
(cd "$dir" && find . -type f | sort | zip -q -X -9 "../../$name" -@)
"$mcpb" unpack "dist/$name" dist/work/unpacked >/dev/null
"$mcpb" validate dist/work/unpacked/manifest.json
cmp "$binary" dist/work/unpacked/server/codemode
"$mcpb" info "dist/$name"

sum=$(sha256sum "dist/$name" | cut -d' ' -f1)
jq --arg version "$version" --arg name "$name" --arg sum "$sum" '
  .version = $version
  | .packages = [{
      registryType: "mcpb", version: $version, fileSha256: $sum, transport: {type: "stdio"},
      identifier: "\(.repository.url)/releases/download/v\($version)/\($name)"
    }]' "$here/server.json" >dist/server.json
grep -v "  $name\$" dist/SHA256SUMS >dist/work/sums || true
echo "$sum  $name" | cat dist/work/sums - >dist/SHA256SUMS
