// Command sbom prints the bill of materials of a Go binary, in CycloneDX 1.6: the modules that the linker put into it, by
// the binary's own account, with their checksums.
//
//	sbom BINARY VERSION
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strings"
)

type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: sbom BINARY VERSION")
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.MarshalIndent(describe(info, os.Args[2]), "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

func describe(info *debug.BuildInfo, version string) bom {
	main := component{Type: "application", Name: info.Main.Path, Version: version}
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{main}}
	b.Components = append(b.Components, component{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"), URL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, component{Type: "library", Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version, Hashes: hashes(m.Sum)})
	}
	return b
}

// hashes are go.sum's, which are of the module's tree of files (dirhash h1).
func hashes(sum string) []hash {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || len(raw) == 0 {
		return nil
	}
	return []hash{{"SHA-256", hex.EncodeToString(raw)}}
}
