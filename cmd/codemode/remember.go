package main

import (
	"os"
	"path/filepath"

	"github.com/codemode-go/codemode/codetool"
)

// shapesFile is where in the cache directory the shapes of results are.
const shapesFile = "shapes.json"

// remember makes the tool learn what results look like, unless it is told not to.
func (o *serveOptions) remember(options *codetool.Options, dir string) (err error) {
	if !o.learn || o.reference || dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	options.Shapes, err = codetool.OpenShapes(filepath.Join(dir, shapesFile))
	return err
}
