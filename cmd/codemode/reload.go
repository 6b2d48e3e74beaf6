package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
)

// pollFiles is how often the configuration's files are looked at: a person who saved one looks up about as fast.
const pollFiles = time.Second

// reloader takes the configuration anew on SIGHUP, and when one of its files has changed.
type reloader struct {
	options *serveOptions
	term    terminal
	server  *mcpserver.Server
	log     *slog.Logger
	// began is what counts until the next start, whatever is reloaded.
	began config.Settings
}

// run watches until ctx ends.
func (r *reloader) run(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	ticker := time.NewTicker(pollFiles)
	defer ticker.Stop()
	taken := r.stamps()
	seen := taken
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			taken = r.stamps()
			r.reload(ctx)
		case <-ticker.C:
			now := r.stamps()
			if settled := slices.Equal(now, seen); settled && !slices.Equal(now, taken) { // an editor may still be writing
				taken = now
				r.reload(ctx)
			}
			seen = now
		}
	}
}

// stamps tells the files' states apart.
func (r *reloader) stamps() []string {
	list := make([]string, 0, len(r.options.files))
	for _, file := range r.options.files {
		info, err := os.Stat(file)
		if err != nil {
			list = append(list, "missing")
			continue
		}
		list = append(list, fmt.Sprint(info.ModTime().UnixNano(), info.Size()))
	}
	return list
}

// reload takes the configuration, or says why the old one stays.
func (r *reloader) reload(ctx context.Context) {
	cfg, err := r.options.load(r.term, r.log)
	var options *mcpserver.Options
	if err == nil {
		options, err = r.options.serverOptions(cfg, r.log)
	}
	if err == nil {
		err = r.server.Reload(ctx, mcpserver.FromConfig(cfg), options)
	}
	if err != nil {
		r.log.Error("the configuration was not reloaded; the old one stays", "error", err)
		return
	}
	if startsAnew(r.began, cfg.Settings) {
		r.log.Warn("outbound, allowAddresses, hardened, workers, memoryMB and http of the configuration count from the next start")
	}
	r.log.Warn("the configuration was reloaded", "servers", len(cfg.Servers), "unavailable", len(cfg.Problems))
}

// startsAnew reports whether something has changed that the executor or the listener was made with.
func startsAnew(began, now config.Settings) bool {
	return now.Outbound != began.Outbound || !slices.Equal(now.AllowAddresses, began.AllowAddresses) || now.Hardened != began.Hardened ||
		now.Workers != began.Workers || now.Limits.Memory != began.Limits.Memory || !reflect.DeepEqual(now.ResourceServer, began.ResourceServer)
}
