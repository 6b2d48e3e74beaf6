// Package fake is an MCP server for tests, written by hand on purpose: it shows what real servers do and libraries do
// not, such as to print banners, to die in the middle of a call and to outlive their launcher.
//
// A test binary plays it when its TestMain calls [Main]:
//
//	func TestMain(m *testing.M) { fake.Main(); os.Exit(m.Run()) }
//	command := fake.Server(fake.Script{Tools: fake.Tools("echo", "crash")})
package fake

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

const variable = "CODEMODE_FAKE_SERVER"

// Script says how a server behaves.
type Script struct {
	// Tools are the entries of tools/list as raw JSON, Pages of them at a time (0: all at once).
	Tools   []json.RawMessage
	PerPage int
	// ManyTools adds as many, tool_0 and so on, which echo.
	ManyTools int
	// RepeatCursor makes the list's cursors go in circles, NoTools answers tools/list with "method not found".
	RepeatCursor, NoTools bool
	// StartDelay comes before the answer to initialize; Hang never answers it.
	StartDelay time.Duration
	// StartFile is a file whose existence it waits for before that.
	StartFile string
	Hang      bool
	// ExitAtStart ends with status 4 before initialize, after Stderr is written. Its output is closed for ExitDelay before that.
	ExitAtStart bool
	ExitDelay   time.Duration
	Stderr      string
	// Noise prints lines that are no JSON-RPC.
	Noise bool
	// Version replaces the revision that the server answers with.
	Version string
	// Deaf ignores the end of input and SIGTERM.
	Deaf bool
	// Offers are resources and prompts.
	Offers Offers
	// Tasks says that calls are taken as tasks, see TaskTool.
	Tasks bool
	// Modern speaks revision 2026-07-28 alone; ExitOnDiscover ends with status 6 when it is asked for that.
	Modern, ExitOnDiscover bool
	// Trace is a file that gets a line for each message that comes in.
	Trace string
	// ExitFile, when the file is missing, makes the server create it and exit with the first call, before it has read it
	// whole.
	ExitFile string
}

// Tools makes entries with an empty input schema; a name decides what a call does, see Server.
func Tools(names ...string) []json.RawMessage {
	var list []json.RawMessage
	for _, name := range names {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"the %s tool","inputSchema":{"type":"object"}}`, name, name)))
	}
	return list
}

// Server returns the command, arguments and environment variable that make this binary the server.
//
// Its tools: echo (the arguments as text) · raw {result} (the result as given) · rpcerror {code, message} · fail (isError)
// · crash (status 3, no answer) · answer_and_die · slow {ms, file} (writes "cancelled" to the file when it is) · until {file} (waits for the file) · add {name,
// times} (adds a tool, announces it) · pid · env {name} · elicit (what the client answers) · ping (likewise) · sample · roots
// · image {bytes, times} (blocks of base64) · big {bytes} (a text of that size; with last, its id behind it) · deep {times}
// (nested arrays) · garbage (no JSON) · endless (a message that never ends) · progress {times} · log {name,
// times} (at that level) · meta (the _meta of the call) · told (the client's
// capabilities) · offer {name, times} (adds a resource, announces it) · touch {name} (a resource changed) · subscribed (the
// subscriptions so far) · wrong_id (answers that nobody asked for, then its own) · flood {times} (notifications of each kind).
func Server(s Script) (command, env string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return exe, variable + "=" + string(text)
}

// Main plays the server and exits when the environment says so; otherwise it returns.
func Main() {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	s := server{in: bufio.NewReader(os.Stdin), cancelled: map[string]chan struct{}{}, answers: map[string]chan json.RawMessage{}, tasks: map[string]*task{}}
	if err := json.Unmarshal([]byte(text), &s.Script); err != nil {
		panic(err)
	}
	for i := range s.ManyTools {
		s.Tools = append(s.Tools, Tools(fmt.Sprintf("tool_%d", i))...)
	}
	s.run()
	os.Exit(0)
}

type server struct {
	Script
	in *bufio.Reader

	mu        sync.Mutex
	cancelled map[string]chan struct{}
	answers   map[string]chan json.RawMessage
	nextID    int
	told      json.RawMessage // the client's capabilities
	log       []string        // what was subscribed to
	tasks     map[string]*task
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (s *server) run() {
	if s.Deaf {
		signal.Ignore(syscall.SIGTERM)
	}
	fmt.Fprint(os.Stderr, s.Stderr)
	if s.ExitAtStart {
		if s.ExitDelay > 0 {
			os.Stdout.Close()
			time.Sleep(s.ExitDelay)
		}
		os.Exit(4)
	}
	if s.Noise {
		fmt.Print("Server listening on stdio!\n\n[not json\n{\"half\": \n\"text\"\n{}\n")
	}
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			break
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, "bad input:", err)
			continue
		}
		s.handle(&m)
	}
	for s.Deaf {
		time.Sleep(time.Hour)
	}
}

func (s *server) handle(m *message) {
	s.trace(m)
	if s.Modern && s.modern(m) || s.Tasks && s.taskRequest(m) {
		return
	}
	switch m.Method {
	case "initialize":
		s.initialize(m)
	case "tools/list":
		s.list(m)
	case "tools/call":
		if s.ExitFile != "" {
			if _, err := os.Stat(s.ExitFile); err != nil {
				_ = os.WriteFile(s.ExitFile, nil, 0o600)
				os.Exit(5)
			}
		}
		stop := make(chan struct{})
		s.mu.Lock()
		s.cancelled[string(m.ID)] = stop
		s.mu.Unlock()
		go s.call(m, stop)
	case "notifications/cancelled":
		var params struct{ RequestID json.RawMessage }
		_ = json.Unmarshal(m.Params, &params)
		s.mu.Lock()
		if stop := s.cancelled[string(params.RequestID)]; stop != nil {
			close(stop)
		}
		s.mu.Unlock()
	case "":
		s.mu.Lock()
		answer := s.answers[string(m.ID)]
		s.mu.Unlock()
		if answer != nil {
			answer <- append(m.Result, m.Error...)
		}
	default:
		if m.ID != nil && !s.offer(m) {
			s.fail(m, -32601, "Method not found")
		}
	}
}

func (s *server) initialize(m *message) {
	for s.StartFile != "" {
		if _, err := os.Stat(s.StartFile); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(s.StartDelay)
	if s.Hang {
		return
	}
	var params struct {
		ProtocolVersion string
		Capabilities    json.RawMessage
	}
	_ = json.Unmarshal(m.Params, &params)
	s.told = params.Capabilities
	if s.Version != "" {
		params.ProtocolVersion = s.Version
	}
	s.reply(m, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"fake","version":"1"}}`, params.ProtocolVersion, s.capabilities()))
}

func (s *server) list(m *message) {
	if s.NoTools {
		s.fail(m, -32601, "Method not found")
		return
	}
	var params struct{ Cursor string }
	_ = json.Unmarshal(m.Params, &params)
	from := 0
	_, _ = fmt.Sscan(params.Cursor, &from)
	s.mu.Lock()
	tools := s.Tools
	s.mu.Unlock()
	to, cursor := len(tools), "null"
	if s.PerPage > 0 && from+s.PerPage < to {
		to = from + s.PerPage
		cursor = fmt.Sprintf(`"%d"`, to)
		if s.RepeatCursor {
			cursor = fmt.Sprintf(`"%d"`, s.PerPage)
		}
	}
	list, _ := json.Marshal(tools[from:to])
	if len(tools[from:to]) == 0 {
		list = []byte("[]")
	}
	s.reply(m, fmt.Sprintf(`{"tools":%s,"nextCursor":%s}`, list, cursor))
}

func (s *server) call(m *message, stop chan struct{}) {
	var params struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	var args struct {
		Result        json.RawMessage
		Code, MS      int
		Message, File string
		Name          string
		Times, Bytes  int
		Last          bool
	}
	_ = json.Unmarshal(params.Arguments, &args)
	switch params.Name {
	case "raw":
		s.reply(m, string(args.Result))
	case "rpcerror":
		s.fail(m, args.Code, args.Message)
	case "fail":
		s.reply(m, `{"content":[{"type":"text","text":"bad thing"},{"type":"text","text":"more"}],"isError":true}`)
	case "crash":
		fmt.Fprintln(os.Stderr, "about to crash")
		os.Exit(3)
	case "answer_and_die":
		s.text(m, "goodbye")
		os.Exit(0)
	case "slow":
		select {
		case <-stop:
			_ = os.WriteFile(args.File, []byte("cancelled"), 0o600)
		case <-time.After(time.Duration(args.MS) * time.Millisecond):
			s.text(m, "slept")
		}
	case "until":
		for {
			if _, err := os.Stat(args.File); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		s.text(m, "it is there")
	case "add":
		s.mu.Lock()
		s.Tools = append(s.Tools, Tools(args.Name)...)
		s.mu.Unlock()
		for range args.Times {
			s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		s.text(m, "added")
	case "offer": // one resource more, announced
		s.mu.Lock()
		s.Offers.Resources = append(s.Offers.Resources, Resource(args.Name))
		s.mu.Unlock()
		for range args.Times {
			s.write(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
		}
		s.text(m, "offered")
	case "touch": // tells that a resource changed
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, args.Name))
		s.text(m, "touched")
	case "subscribed": // what was subscribed to so far
		s.mu.Lock()
		log := strings.Join(s.log, "\n")
		s.mu.Unlock()
		s.text(m, log)
	case "wrong_id":
		s.wrongID(m)
	case "flood":
		s.flood(m, params.Meta.ProgressToken, args.Times)
	case "pid":
		s.reply(m, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid()))
	case "env":
		s.text(m, os.Getenv(args.Name))
	case "elicit":
		s.text(m, string(s.ask("elicitation/create", `{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}`)))
	case "sample":
		s.text(m, string(s.ask("sampling/createMessage", `{"messages":[],"maxTokens":1}`)))
	case "ping":
		s.text(m, string(s.ask("ping", `{}`)))
	case "roots":
		s.text(m, string(s.ask("roots/list", `{}`)))
	case "image":
		block := fmt.Sprintf(`{"type":"image","mimeType":"image/png","data":%q}`, base64.StdEncoding.EncodeToString(make([]byte, args.Bytes)))
		s.reply(m, `{"content":[`+strings.Repeat(block+",", max(args.Times, 1)-1)+block+`]}`)
	case "big":
		text := strings.Repeat("x", args.Bytes)
		if args.Last {
			s.write(fmt.Sprintf(`{"result":{"content":[{"type":"text","text":"%s"}]},"id":%s,"jsonrpc":"2.0"}`, text, m.ID))
			return
		}
		s.reply(m, `{"content":[{"type":"text","text":"`+text+`"}]}`)
	case "deep":
		s.reply(m, `{"content":[],"structuredContent":{"a":`+strings.Repeat("[", args.Times)+strings.Repeat("]", args.Times)+`}}`)
	case "garbage":
		s.reply(m, `{"content":[}`)
	case "endless":
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"a":"`, m.ID)
		for part := strings.Repeat("y", 1<<16); ; {
			if _, err := fmt.Print(part); err != nil {
				os.Exit(0)
			}
		}
	case "progress":
		s.progress(params.Meta.ProgressToken, args.Times)
		s.text(m, "done")
	case "log":
		for i := range args.Times {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"logger":"inner","data":{"n":%d}}}`, args.Name, i))
		}
		s.text(m, "logged")
	case "told":
		s.text(m, string(s.told))
	case "meta":
		s.text(m, string(meta(m.Params)))
	default:
		s.text(m, strings.TrimSpace(string(params.Arguments)))
	}
}

// meta is the _meta of a request's parameters, null without one.
func meta(params json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(params, &fields)
	if raw := fields["_meta"]; raw != nil {
		return raw
	}
	return json.RawMessage("null")
}

// progress says so as often, when the client wants to know.
func (s *server) progress(token json.RawMessage, times int) {
	for i := range times {
		if token != nil {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}}`, token, i+1, times, i+1))
		}
	}
}

// ask sends the client a request and waits for its answer.
func (s *server) ask(method, params string) json.RawMessage {
	answer := make(chan json.RawMessage, 1)
	s.mu.Lock()
	s.nextID++
	id := fmt.Sprintf(`"ask-%d"`, s.nextID)
	s.answers[id] = answer
	s.mu.Unlock()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return <-answer
}

func (s *server) text(m *message, text string) {
	quoted, _ := json.Marshal(text)
	s.reply(m, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

func (s *server) reply(m *message, result string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (s *server) fail(m *message, code int, text string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text))
}

func (s *server) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Println(line)
}
