//go:build cgo && (linux || darwin)

package worker

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// prime takes the code caches that the pool has from another worker.
func (w *worker) prime() error {
	frame, err := w.reader.Read()
	if err != nil {
		return err
	}
	if frame.Kind != wire.Prime || len(frame.Fields)%2 != 0 {
		return fmt.Errorf("a frame of kind %d with %d fields where a Prime was expected", frame.Kind, len(frame.Fields))
	}
	for i := 0; i < len(frame.Fields); i += 2 {
		w.caches[string(frame.Fields[i])] = frame.Fields[i+1]
	}
	return nil
}

// warmUp makes the first sandbox. Without code caches that comes after a rehearsal in another: one small program with a
// call, so that the functions that every run needs are in the caches; these are then learned, in the form of a Prime.
func (w *worker) warmUp() (box *sandbox, learned [][]byte, err error) {
	box, err = newSandbox(w)
	if err != nil || len(box.fresh) == 0 {
		return box, nil, err
	}
	if box, err = w.rehearse(box); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(w.caches)) {
		learned = append(learned, []byte(name), w.caches[name])
	}
	return box, learned, nil
}

// rehearse runs a program in a sandbox and returns the next one.
func (w *worker) rehearse(box *sandbox) (*sandbox, error) {
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
	box.set(stateID, 1)
	if err := box.call("answer", box.isolate.String(`{"result":{"c":[true]}}`)); err != nil && !box.run.settled {
		return nil, err
	}
	if string(box.run.value) != `{"got":{"c":[true]}}` {
		return nil, fmt.Errorf("the rehearsal of a program failed: %+v", box.run.done)
	}
	return box.next()
}
