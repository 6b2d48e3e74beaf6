#!/usr/bin/env bash
# Builds dist/ from what is checked out: for each target an archive and a bill of materials, then checksums and server.json.
#
#   .ci/release/build.sh [OS/ARCH…]     default: every target; VERSION=1.2.3 overrides the tag
#
# The same commit, Go and C compiler give the same bytes: paths are trimmed, times are the commit's, names are sorted. A
# target whose C++ compiler is not here is built without cgo, which has everything but the local pool; its archive is called noengine.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C TZ=UTC

version=${VERSION:-$(git describe --tags --match 'v*' 2>/dev/null || echo "0.0.0-g$(git rev-parse --short=12 HEAD)")}
version=${version#v}
epoch=$(git log -1 --format=%ct)
targets=("$@")
((${#targets[@]})) || targets=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
rm -rf dist && mkdir -p dist/work

# compiler OS ARCH prints the C and C++ compilers for a target, and fails where this machine has none.
compiler() {
  if [[ $1/$2 == "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" && $1 != windows ]]; then echo "gcc g++"; return; fi
  case $1/$2 in
  linux/arm64) command -v aarch64-linux-gnu-g++ >/dev/null && echo "aarch64-linux-gnu-gcc aarch64-linux-gnu-g++" ;;
  linux/amd64) command -v x86_64-linux-gnu-g++ >/dev/null && echo "x86_64-linux-gnu-gcc x86_64-linux-gnu-g++" ;;
  darwin/*) [[ $(go env GOHOSTOS) == darwin ]] && echo "clang clang++" ;;
  *) return 1 ;;
  esac
}

# archive NAME DIRECTORY packs a directory, the same bytes every time.
archive() {
  tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=ustar -C "$2" -cf - . | gzip -n9 >"dist/$1.tar.gz"
}

build() {
  local os=$1 arch=$2 name=codemode_${version}_$1_$2 flags="-s -w -buildid= -X main.release=$version" binary=codemode
  local cc cxx cgo=1
  if read -r cc cxx < <(compiler "$os" "$arch") && [[ -n $cc ]]; then
    [[ $os == linux ]] && flags+=" -extldflags=-Wl,--build-id=none"
  else
    cgo=0 name+=_noengine
  fi
  [[ $os == windows ]] && binary=codemode.exe
  local dir=dist/work/$name
  mkdir -p "$dir"
  CGO_ENABLED=$cgo CC=${cc:-} CXX=${cxx:-} GOOS=$os GOARCH=$arch go build -buildvcs=true -trimpath -ldflags "$flags" -o "$dir/$binary" ./cmd/codemode
  cp README.md SECURITY.md CHANGELOG.md "$dir"
  [[ -d dist/work/shared ]] && cp dist/work/shared/* "$dir"
  (cd .ci/tools && GOFLAGS= GOOS= GOARCH= CGO_ENABLED=0 go run ./sbom "../../$dir/$binary" "$version") >"dist/$name.cdx.json"
  archive "$name" "$dir"
  echo "built $name"
}

# The manual page and completions come from a binary that runs here.
mkdir -p dist/work/shared
go build -trimpath -ldflags "-s -w -X main.release=$version" -o dist/work/here ./cmd/codemode
dist/work/here man >dist/work/shared/codemode.1
for shell in bash zsh fish; do dist/work/here completion $shell >dist/work/shared/codemode.$shell; done
for target in "${targets[@]}"; do build "${target%/*}" "${target#*/}"; done

(cd dist && sha256sum ./*.tar.gz ./*.cdx.json | sed 's|\./||' >SHA256SUMS)
echo "$version" >dist/VERSION
cat dist/SHA256SUMS
