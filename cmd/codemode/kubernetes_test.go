package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestTheDeploymentsFlagsAreTheDaemons: of examples/kubernetes, a module of its own.
func TestTheDeploymentsFlagsAreTheDaemons(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "kubernetes", "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Args []string `yaml:"args"`
					} `yaml:"containers"`
				} `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(text, &deployment); err != nil { // its first document
		t.Fatal(err)
	}
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || len(containers[0].Args) < 2 || containers[0].Args[0] != "daemon" {
		t.Fatalf("%+v", containers)
	}
	flags := flag.NewFlagSet("daemon", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o daemonOptions
	o.declare(flags)
	if err := flags.Parse(containers[0].Args[1:]); err != nil || flags.NArg() > 0 {
		t.Fatalf("%v, %q left", err, flags.Args())
	}
	if _, _, err := (&daemonOptions{listen: o.listen, workers: o.workers}).resolve(nil); err == nil {
		t.Error("it would listen for others without a token")
	}
	if o.tokenFile == "" {
		t.Error("there is no token file")
	}
}
