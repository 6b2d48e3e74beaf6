//go:build cgo && (linux || darwin)

package worker

import (
	"fmt"
	"io"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// warmUp makes the first sandbox after a rehearsal in another: one small program with a call, so that the functions
// that every run needs are in the scripts' caches.
func (w *worker) warmUp() (*sandbox, error) {
	box, err := newSandbox(w)
	if err != nil {
		return nil, err
	}
	out := w.writer
	w.writer = wire.NewWriter(io.Discard)
	defer func() { w.writer = out }()
	const header = `{"providers":[{"name":"host"}],"argumentBytes":1000,"resultBytes":1000,"toolCalls":1,"callsInFlight":1,"timers":1}`
	const code = "async () => { console.log('a'); setTimeout(() => {}, 0); return { got: await host.tool({ a: [1, 'b'] }) } }"
	box.run = &run{box: box, start: time.Now()}
	box.run.header = wire.RunHeader{Providers: []wire.Provider{{Name: "host"}}, ArgumentBytes: 1000, ResultBytes: 1000, LogLines: 1, LogBytes: 10}
	if err := box.run.begin(code, nil, []byte(header)); err != nil {
		return nil, err
	}
	if err := box.call("answer", box.isolate.Number(1), box.isolate.String(`{"result":{"c":[true]}}`)); err != nil && !box.run.settled {
		return nil, err
	}
	if string(box.run.value) != `{"got":{"c":[true]}}` {
		return nil, fmt.Errorf("the rehearsal of a program failed: %+v", box.run.done)
	}
	return box.next()
}
