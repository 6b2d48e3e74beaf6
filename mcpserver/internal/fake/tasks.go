package fake

import (
	"encoding/json"
	"fmt"
	"time"
)

// TaskTool makes the entry of a tool that can only be called as a task.
func TaskTool(name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`, name))
}

// task is a call that goes on by itself. Its tool's name decides how it ends: task_ok, task_failed, task_input (it asks for
// input with its result) or task_slow (never).
type task struct{ tool, status string }

// taskRequest answers what is asked about tasks; ok is false for any other request.
func (s *server) taskRequest(m *message) (ok bool) {
	var params struct {
		Name   string
		Task   json.RawMessage
		TaskID string
	}
	_ = json.Unmarshal(m.Params, &params)
	s.mu.Lock()
	one := s.tasks[params.TaskID]
	s.mu.Unlock()
	switch {
	case m.Method == "tools/call" && params.Task != nil:
		s.begin(m, params.Name)
	case one == nil:
		return false
	case m.Method == "tasks/get":
		s.reply(m, s.state(params.TaskID))
	case m.Method == "tasks/cancel":
		s.end(params.TaskID, "cancelled")
		s.reply(m, s.state(params.TaskID))
	case m.Method == "tasks/result":
		go s.result(m, one.tool)
	default:
		return false
	}
	return true
}

func (s *server) begin(m *message, tool string) {
	id := "task-" + tool
	s.mu.Lock()
	s.tasks[id] = &task{tool, "working"}
	s.mu.Unlock()
	if next := map[string]string{"task_ok": "completed", "task_failed": "failed", "task_input": "input_required"}[tool]; next != "" {
		time.AfterFunc(100*time.Millisecond, func() { s.end(id, next) })
	}
	s.reply(m, `{"task":`+s.state(id)+`}`)
}

func (s *server) end(id, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[id].status == "working" {
		s.tasks[id].status = status
	}
}

func (s *server) state(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf(`{"taskId":%q,"status":%q,"createdAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":50}`, id, s.tasks[id].status)
}

func (s *server) result(m *message, tool string) {
	switch tool {
	case "task_failed":
		s.reply(m, `{"content":[{"type":"text","text":"it went wrong"}],"isError":true}`)
	case "task_input":
		s.text(m, "input: "+string(s.ask("elicitation/create", `{"message":"which?","requestedSchema":{"type":"object","properties":{}}}`)))
	default:
		s.text(m, "done as a task")
	}
}
