// Package wire is the frames between the pool and one worker process.
//
// A [Frame] is a kind and a list of byte-string fields; what each field holds stands with its [Kind]. The pool writes
// frames to the worker's stdin and reads them from its stdout; one more pipe, descriptor 3 of the worker, carries
// single control bytes that must be heard while the JavaScript thread is busy.
//
//	pool                              worker
//	Prime                       ──►
//	                            ◄──   Ready
//	Run                         ──►
//	                            ◄──   Logs*  Call  Fetch  (any number, any order)
//	Answer  Fetched             ──►
//	                            ◄──   Logs*  Done  then, after a fresh isolate is warm, Ready
//
// On Linux a [Mailbox] carries what is small and waited for beside the two pipes.
//
// A Done that grants handles is followed by no Ready: the isolate is kept, and the worker takes Invoke frames, each of
// which is a run of its own with Calls and a Done, until its pool ends it.
//
// On the wire a frame is its body's length (4 bytes, little endian), and the body: the kind (1 byte), then each field
// as an unsigned varint length and its bytes.
//
// # Limits
//
// A reader refuses a body over its limit before it allocates it, and a frame whose fields do not fill the body
// exactly. Either side is hostile to the other: the worker runs hostile code.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind says what a frame is. The comment of each kind lists its fields.
type Kind byte

const (
	// Run starts a program: Header as JSON (RunHeader), the source, the modules as a JSON object of strings.
	Run Kind = 1
	// Answer ends a Call: the call's id (decimal), the envelope's JSON text.
	Answer Kind = 2
	// Fetched is the pool's part in a request: the id, FetchedHeader as JSON, bytes.
	Fetched Kind = 3
	// Invoke calls a function that a retained run handed out: InvokeHeader as JSON, the argument list as JSON.
	Invoke Kind = 4
	// Prime opens the conversation with what compiling the scripts of every sandbox has given another worker of the pool:
	// a field for a script's name and one for its code cache, in turns. There are none before any worker was ready.
	Prime Kind = 5

	// Ready says that a fresh isolate waits for a Run: ReadyHeader as JSON. A worker's first, when Prime had nothing that
	// was of use, has the fields of a Prime after it.
	Ready Kind = 16
	// Call is a tool call: id (decimal, unique in the run), provider, tool, argument list as JSON.
	Call Kind = 17
	// Fetch is the worker's part in an outbound request: id, FetchHeader as JSON, bytes.
	Fetch Kind = 18
	// Logs is console lines: three fields a line, the level, the microseconds since the run started (decimal), the text.
	Logs Kind = 19
	// Done ends the run: DoneHeader as JSON, the value's JSON text (empty with Undefined or a failure).
	Done Kind = 20
)

// Terminate is the control byte that stops the JavaScript of the current run. The worker answers with Done. Closing
// the control pipe, or stdin, makes the worker exit.
const Terminate byte = 'T'

// RunHeader is the part of a Run that is neither source nor modules. Limits are the ones that hold, resolved.
type RunHeader struct {
	Providers []Provider `json:"providers"`
	// Outbound says that Fetch frames will be answered; otherwise fetch is refused inside.
	Outbound         bool   `json:"outbound"`
	LosslessIntegers bool   `json:"losslessIntegers"`
	ConsoleFormat    string `json:"consoleFormat"`
	ArgumentBytes    int64  `json:"argumentBytes"`
	ResultBytes      int64  `json:"resultBytes"`
	LogBytes         int64  `json:"logBytes"`
	LogLines         int64  `json:"logLines"`
	ToolCalls        int64  `json:"toolCalls"`
	CallsInFlight    int64  `json:"callsInFlight"`
	Timers           int64  `json:"timers"`
	// Retain says that functions in the value become handles, at most Handles of them.
	Retain  bool  `json:"retain"`
	Handles int64 `json:"handles"`
}

// InvokeHeader names what an Invoke calls. Handles are numbered from 1 in the life of their isolate.
type InvokeHeader struct {
	Handle int64 `json:"handle"`
}

// Provider is a namespace of the program's scope (protocol.ProviderDescriptor without what the worker does not need).
type Provider struct {
	Name        string `json:"name"`
	Prelude     string `json:"prelude,omitempty"`
	ProxySource string `json:"proxySource,omitempty"`
}

// ReadyHeader describes a worker that waits.
type ReadyHeader struct {
	// Engine is the engine's name and version.
	Engine string `json:"engine"`
	// Jail lists the confinements in force ("seccomp", "landlock", …).
	Jail []string `json:"jail"`
	// Anonymous is the process's own memory (anonymous resident bytes) before any program.
	Anonymous int64 `json:"anonymous"`
}

// DoneHeader says how a run ended.
type DoneHeader struct {
	// Undefined says that the program's value is undefined.
	Undefined bool `json:"undefined,omitempty"`
	// ValueKind is protocol.ExecuteResult.ValueKind.
	ValueKind string `json:"valueKind,omitempty"`
	// Failure is set when there is no value.
	Failure *Failure `json:"failure,omitempty"`
	// CPUMicros is the processor time of the JavaScript thread.
	CPUMicros int64 `json:"cpuMicros"`
	// WallMicros is the time from Run to the end of the program.
	WallMicros int64 `json:"wallMicros"`
	// Handles is the number of handles that the isolate has granted so far; with any, the isolate is kept.
	Handles int64 `json:"handles,omitempty"`
	// Refused are the calls that the worker itself turned down at a limit ("provider.tool"), bounded in number.
	Refused []string `json:"refused,omitempty"`
	// Unheard are the places among the run's calls, from 0, of those that the program had no answer of when it ended. The pool
	// may have answered them long before: its answers were still on their way. They are bounded in number.
	Unheard []int `json:"unheard,omitempty"`
	// Unhandled are the promises that rejected and that nobody had taken by the end, bounded in number.
	Unhandled []Rejection `json:"unhandled,omitempty"`
}

// Rejection is protocol.Rejection as the worker knows it.
type Rejection struct {
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	Call    string `json:"call,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// Failure is protocol.Failure as the worker knows it. Kind "terminated" is the worker's answer to Terminate: the pool
// knows why it asked.
type Failure struct {
	Kind    string `json:"kind"`
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	// Thrown is the thrown value's JSON text when it was no Error.
	Thrown     string `json:"thrown,omitempty"`
	Limit      string `json:"limit,omitempty"`
	LimitValue int64  `json:"limitValue,omitempty"`
	// Causes are the lines of protocol.Failure.Causes.
	Causes []string `json:"causes,omitempty"`
}

// FetchHeader opens an outbound request, or is a later step of one.
//
// A small body crosses with the head. Of any other, the pool asks for each part with StepWant, and the worker answers with
// one StepBody, StepBodyEnd or StepBodyError of the same round.
type FetchHeader struct {
	// Step is empty in the frame that opens a request, where all but Round and Message count.
	Step     string      `json:"step,omitempty"`
	URL      string      `json:"url,omitempty"`
	Method   string      `json:"method,omitempty"`
	Headers  [][2]string `json:"headers,omitempty"`
	Redirect string      `json:"redirect,omitempty"`
	HasBody  bool        `json:"hasBody,omitempty"`
	// Upload says that the body does not come along: "bytes" can be sent again from its start, and has Size; "stream" not.
	Upload string `json:"upload,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Round is which reading of the body a part belongs to; Message is what is wrong with a body.
	Round   int    `json:"round,omitempty"`
	Message string `json:"message,omitempty"`
}

// FetchedHeader is the answer to a Fetch: whole, with Error alone when there is none, or one step of it.
//
// After StepHead the first part of the body follows unasked, and each further one when the worker has asked with StepPull.
type FetchedHeader struct {
	// Step is empty in an answer that is whole: the bytes are the body.
	Step       string      `json:"step,omitempty"`
	Status     int         `json:"status,omitempty"`
	StatusText string      `json:"statusText,omitempty"`
	Headers    [][2]string `json:"headers,omitempty"`
	URL        string      `json:"url,omitempty"`
	Redirected bool        `json:"redirected,omitempty"`
	Error      string      `json:"error,omitempty"`
	// Round asks for a reading of the body from its start when it is higher than the last.
	Round int `json:"round,omitempty"`
}

// The steps of a request: those of the worker, and those of the pool.
const (
	StepBody      = "body"      // a part of the request's body
	StepBodyEnd   = "bodyEnd"   // its last part
	StepBodyError = "bodyError" // there is no more of it, for Message
	StepPull      = "pull"      // the program waits for more of the response's body
	StepCancel    = "cancel"    // the program wants no more of the request

	StepHead  = "head"  // the response without its body
	StepChunk = "chunk" // a part of its body
	StepEnd   = "end"   // the body is whole
	StepError = "error" // it broke off, for Error
	StepWant  = "want"  // send a part of the request's body
)

// ChunkBytes is the most that a part of a body measures.
const ChunkBytes = 1 << 16

// Frame is one message.
type Frame struct {
	Kind   Kind
	Fields [][]byte
}

// ErrMalformed is what a reader returns for bytes that are no frame.
var ErrMalformed = errors.New("wire: malformed frame")

// MaxFields bounds the fields of a frame; a Logs frame holds the most.
const MaxFields = 3 * 4096

// Writer writes frames. It is not safe for concurrent use.
type Writer struct{ w *bufio.Writer }

// NewWriter returns a Writer; nothing is written before Flush or a full buffer.
func NewWriter(w io.Writer) *Writer { return &Writer{bufio.NewWriterSize(w, 64<<10)} }

// Write appends one frame.
func (w *Writer) Write(kind Kind, fields ...[]byte) error {
	size := 1
	var varint [binary.MaxVarintLen64]byte
	for _, f := range fields {
		size += binary.PutUvarint(varint[:], uint64(len(f))) + len(f)
	}
	var head [5]byte
	binary.LittleEndian.PutUint32(head[:], uint32(size))
	head[4] = byte(kind)
	w.w.Write(head[:]) // bufio keeps the first error and returns it from the last call
	for _, f := range fields {
		w.w.Write(varint[:binary.PutUvarint(varint[:], uint64(len(f)))])
		w.w.Write(f)
	}
	_, err := w.w.Write(nil)
	return err
}

// Flush sends what was written.
func (w *Writer) Flush() error { return w.w.Flush() }

// Reader reads frames. It is not safe for concurrent use.
type Reader struct {
	source io.Reader
	limit  int
	// buffer[from:to] has been read from the source and belongs to the next frames.
	buffer   []byte
	from, to int
	// recycled is a kind whose large frames all get the same memory, and memory that.
	recycled Kind
	memory   []byte
}

// NewReader returns a Reader that refuses bodies over limit bytes.
func NewReader(source io.Reader, limit int) *Reader {
	return &Reader{source: source, limit: limit, buffer: make([]byte, bufferSize)}
}

// bufferSize is what a Reader reads at a time.
const bufferSize = 64 << 10

// Recycle makes the fields of frames of one kind good until the next Read only, and returns the Reader: fresh memory for a
// large frame is dearer than what is done with it.
func (r *Reader) Recycle(kind Kind) *Reader {
	r.recycled = kind
	return r
}

// Forget gives back the memory that Recycle keeps.
func (r *Reader) Forget() { r.memory = nil }

// Buffered reports whether bytes of a further frame have been read from the source already, so that waiting for the
// source would be wrong.
func (r *Reader) Buffered() bool { return r.from < r.to }

// Fill has read, which does not wait and returns how many bytes there were, look for the source's next bytes unless some
// are buffered, and reports what Buffered does.
func (r *Reader) Fill(read func([]byte) int) bool {
	if !r.Buffered() {
		r.from, r.to = 0, read(r.buffer)
	}
	return r.Buffered()
}

// Read returns the next frame; its fields are its own, but for Recycle. io.EOF means a clean end between frames.
func (r *Reader) Read() (Frame, error) {
	var head [5]byte // with the kind, which is the body's first byte
	if err := r.full(head[:4]); err != nil {
		return Frame{}, err
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size == 0 || size > int64(r.limit) {
		return Frame{}, fmt.Errorf("%w: a body of %d bytes, limit %d", ErrMalformed, size, r.limit)
	}
	if err := r.full(head[4:]); err != nil {
		return Frame{}, cutShort(err)
	}
	kind := Kind(head[4])
	fields := r.room(kind, int(size)-1)
	if err := r.full(fields); err != nil {
		return Frame{}, cutShort(err)
	}
	return decode(kind, fields)
}

// cutShort is the error of a frame that has begun.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// full reads as io.ReadFull does, by way of the buffer unless it is much.
func (r *Reader) full(into []byte) error {
	done := copy(into, r.buffer[r.from:r.to])
	r.from += done
	much := len(into)-done >= len(r.buffer)
	for done < len(into) {
		n, err := r.some(into[done:], much)
		if n == 0 && err != nil {
			if done > 0 {
				err = cutShort(err)
			}
			return err
		}
		done += n
	}
	return nil
}

// some reads what comes next of the bytes for a place.
func (r *Reader) some(into []byte, directly bool) (int, error) {
	if directly {
		return r.source.Read(into)
	}
	n, err := r.source.Read(r.buffer)
	r.from, r.to = copy(into, r.buffer[:n]), n
	return r.from, err
}

// room is memory for a frame's fields.
func (r *Reader) room(kind Kind, size int) []byte {
	if size < bufferSize || kind != r.recycled {
		return make([]byte, size)
	}
	if cap(r.memory) < size {
		r.memory = make([]byte, size)
	}
	return r.memory[:size]
}

func decode(kind Kind, fields []byte) (Frame, error) {
	frame := Frame{Kind: kind, Fields: make([][]byte, 0, 4)} // a Call's
	for rest := fields; len(rest) > 0; {
		n, used := binary.Uvarint(rest)
		if used <= 0 || n > uint64(len(rest)-used) || len(frame.Fields) == MaxFields {
			return Frame{}, fmt.Errorf("%w: field %d", ErrMalformed, len(frame.Fields))
		}
		end := used + int(n)
		frame.Fields = append(frame.Fields, rest[used:end:end])
		rest = rest[end:]
	}
	return frame, nil
}
