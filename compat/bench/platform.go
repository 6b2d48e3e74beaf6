package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// Platform are the web platform's figures beside node's.
type Platform struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`
	// Node is node's version.
	Node        string       `json:"node"`
	Comparisons []Comparison `json:"comparisons"`
}

// platformPrograms is a function of a program's name that measures it, in milliseconds.
//
//go:embed platform.js
var platformPrograms string

// platformTask is one of them, by the name it has there. An amount makes its figure one a second.
type platformTask struct {
	name, program, wanted string
	amount                float64
}

func platformTasks() []platformTask {
	const double, triple = "2× of node", "3× of node"
	return []platformTask{
		{"base64 of 1 MB", "base64Encode", double, 0},
		{"1 MB from base64", "base64Decode", double, 0},
		{"1 MB to UTF-8", "utf8Encode", double, 0},
		{"1 MB from UTF-8", "utf8Decode", double, 0},
		{"SHA-256 of 1 MB", "digest", double, 0},
		{"10 MB through TransformStream", "transform", triple, 0},
		{"the same and gzip", "gzip", triple, 0},
		{"the same and back", "gunzip", triple, 0},
		{"URLs parsed", "urls", "200,000/s", 10_000},
	}
}

// RunPlatform measures programs that use the web platform in our sandbox and in node, in turns.
func RunPlatform(ctx context.Context, options *Options) (*Platform, error) {
	o := resolve(options)
	version, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("node's version: %w", err)
	}
	pool, err := executor.New(&executor.Options{Workers: 1, Outbound: protocol.BlockOutbound()})
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	p := &Platform{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Node: "node " + strings.TrimSpace(strings.TrimPrefix(string(version), "v"))}
	for _, task := range platformTasks() {
		o.Log(task.name)
		c := Comparison{Name: task.name, Unit: "ms", Beside: p.Node, Wanted: task.wanted}
		var node, ours []float64
		for range o.Rounds {
			theirs, err := task.inNode(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: node: %w", task.name, err)
			}
			own, err := task.inPool(ctx, pool)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", task.name, err)
			}
			node, ours = append(node, theirs), append(ours, own)
		}
		if c.Other, c.Ours = median(node), median(ours); task.amount > 0 {
			c.Unit, c.Other, c.Ours = "/s", task.amount*1000/c.Other, task.amount*1000/c.Ours
		}
		p.Comparisons = append(p.Comparisons, c)
	}
	return p, nil
}

// call is an expression that measures the program, without the comment that its file begins with.
func (t platformTask) call() string {
	return "(" + platformPrograms[strings.Index(platformPrograms, "async"):] + ")(" + strconv.Quote(t.program) + ")"
}

func (t platformTask) inNode(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, "node", "-e", t.call()+".then((best) => process.stdout.write(String(best)))").Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(out), 64)
}

func (t platformTask) inPool(ctx context.Context, pool *executor.Pool) (best float64, err error) {
	result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "async () => await " + t.call()})
	if err != nil {
		return 0, err
	}
	if result.Failure != nil {
		return 0, fmt.Errorf("the program failed: %s", result.Failure.Message)
	}
	return best, json.Unmarshal(result.Value, &best)
}
