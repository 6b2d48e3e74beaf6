package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/stdio"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// progressInterval is how often a client that asked for it hears that its program still runs. Clients give up after
// half a minute of silence and more.
const progressInterval = 5 * time.Second

const (
	// maxNotes bounds what waits for a client that reads slowly; what is beyond it is not sent.
	maxNotes = 256
	// progressBurst and progressRate bound the progress of one run: each call is told of, but not thousands a second.
	progressBurst = 50
	progressRate  = 20 // a second
)

// run is what is remembered of one program's calls, and what its client hears meanwhile.
type run struct {
	calls atomic.Int64
	told  atomic.Int64 // progress notifications so far
	began time.Time
	// origin is where its request came from.
	origin Origin
	notes  chan remark
	// questions are for clients of the revisions that are asked by the answer to their call.
	questions chan *pendingQuestion

	// link makes a link to a text that was cut; nil where nobody could follow one.
	link func(what, text string) mcp.Content

	mu         sync.Mutex
	media      []media
	remembered int // bytes of base64, also those that were too many to keep
	links      links
	room       float64
	filled     time.Time
	trail      *trail
	asking     chan struct{}
	readings   map[string]string // the functions that read; nobody changes it
	approved   map[string]bool   // what a person allowed for the run; of the one who has the turn
}

// turn holds one of those who want to ask a person.
func (r *run) turn() chan struct{} { return r.asking }

// remark is a notification for the client of a run.
type remark struct {
	method string
	params map[string]any
	// progress says that params lacks token and count, which only the sender knows.
	progress bool
}

func newRun() *run {
	now := time.Now()
	return &run{began: now, filled: now, room: progressBurst, asking: make(chan struct{}, 1), notes: make(chan remark, maxNotes), questions: make(chan *pendingQuestion)}
}

// linkWhole adds a link to the whole of what was cut.
func (r *run) linkWhole(content []mcp.Content, what, text string) []mcp.Content {
	if r.link == nil {
		return content
	}
	if link := r.link(what, text); link != nil {
		content = append(content, link)
	}
	return content
}

type runKey struct{}

// runFrom finds the run that a call belongs to. A call without one has nobody to remember for.
func runFrom(ctx context.Context) *run {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		return r
	}
	return newRun()
}

// send hands a notification to the goroutine that speaks with the client. It never blocks: it is called from loops that
// read from upstreams.
func (r *run) send(n remark) {
	select {
	case r.notes <- n:
	default:
	}
}

// tell sends progress, unless there was too much of it.
func (r *run) tell(message string) {
	r.mu.Lock()
	now := time.Now()
	r.room = min(progressBurst, r.room+now.Sub(r.filled).Seconds()*progressRate)
	r.filled = now
	enough := r.room >= 1
	if enough {
		r.room--
	}
	r.mu.Unlock()
	if enough {
		r.send(remark{method: "notifications/progress", params: map[string]any{"message": message}, progress: true})
	}
}

// called tells that a call has been answered.
func (r *run) called(server, tool string, took time.Duration, failed bool) {
	verb := "answered"
	if failed {
		verb = "failed"
	}
	count := "1 call so far"
	if n := r.calls.Add(1); n > 1 {
		count = fmt.Sprintf("%d calls so far", n)
	}
	r.tell(fmt.Sprintf("%s.%s %s after %d ms (%s)", server, tool, verb, took.Milliseconds(), count))
}

// progressed passes an upstream's progress on.
func (r *run) progressed(server string, n upstream.Notification) {
	var params struct {
		Progress, Total json.Number
		Message         string
	}
	if json.Unmarshal(n.Params, &params) != nil {
		return
	}
	text := fmt.Sprintf("%s.%s: %s", server, n.Tool, params.Progress)
	if params.Total != "" {
		text += "/" + params.Total.String()
	}
	if params.Message != "" {
		text += " " + params.Message
	}
	r.tell(text)
}

// speak passes a run's notifications on to the client, and says now and then that it still runs when the client gave a
// token for that. The returned function ends it, after what is due by then was sent, waits, and may be called again: no
// progress comes after an answer.
func (s *Server) speak(ctx context.Context, meta *mcp.Meta, r *run) (stop func()) {
	var token mcp.ProgressToken
	if meta != nil {
		token = meta.ProgressToken
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(s.progress)
		defer ticker.Stop()
		for {
			var n remark
			select {
			case n = <-r.notes:
			case <-ticker.C:
				n = remark{method: "notifications/progress", params: map[string]any{"message": r.state()}, progress: true}
			case <-ctx.Done():
				return
			}
			if n.progress {
				if token == nil {
					continue
				}
				n.params["progressToken"], n.params["progress"] = token, r.told.Add(1)
			}
			s.notify(ctx, n.method, n.params)
		}
	})
	return sync.OnceFunc(func() {
		for end := time.Now().Add(flush); len(r.notes) > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		cancel()
		wg.Wait()
	})
}

// flush is how long an answer waits for notifications before it.
const flush = 100 * time.Millisecond

// state says how a run is getting on.
func (r *run) state() string {
	return fmt.Sprintf("running for %s, %d tool calls answered", time.Since(r.began).Round(time.Second), r.calls.Load())
}

// notify reaches the client of ctx, whichever transport it is on.
func (s *Server) notify(ctx context.Context, method string, params map[string]any) {
	if !stdio.Notify(ctx, method, params) {
		_ = s.mcp.SendNotificationToClient(ctx, method, params) // progress is best effort
	}
}
