package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// maxStreams bounds the browser windows that are kept up to date; one more is told to reload by hand.
	maxStreams = 32
	// gather is how long changes are gathered, so that a program with a thousand calls is not a thousand messages.
	gather = 200 * time.Millisecond
	// beat keeps a stream from being taken for dead, and finds out that its reader is.
	beat = 20 * time.Second
	// maxChanged bounds the runs that one message names; more are "*".
	maxChanged = 50
)

// events is the stream of server-sent events: each is a JSON list of the IDs of the runs that changed.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	select {
	case p.streams <- struct{}{}:
		defer func() { <-p.streams }()
	default:
		http.Error(w, fmt.Sprintf("%d windows are kept up to date already", maxStreams), http.StatusServiceUnavailable)
		return
	}
	changes := p.store.Watch()
	defer changes.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(beat)) // a reader that does not read holds nothing up
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	heart := time.NewTicker(beat)
	defer heart.Stop()
	for ok := send("retry: 2000\n\n: hello\n\n"); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-heart.C:
			ok = send(": still here\n\n")
		case <-changes.C:
			select {
			case <-time.After(gather):
			case <-r.Context().Done():
				return
			}
			ok = send("data: " + changed(changes.Take()) + "\n\n")
		}
	}
}

func changed(ids []string) string {
	if len(ids) > maxChanged {
		ids = []string{"*"}
	}
	text, _ := json.Marshal(ids) // strings always have a rendering, without a line end
	return string(text)
}
