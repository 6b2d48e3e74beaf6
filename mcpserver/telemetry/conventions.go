package telemetry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"

	"github.com/codemode-go/codemode/mcpserver"
)

// The attributes of the conventions. No release of the SDK has those of MCP any more: they moved to a repository of
// their own, which is still in development.
const (
	methodName       = attribute.Key("mcp.method.name")
	protocolVersion  = attribute.Key("mcp.protocol.version")
	sessionID        = attribute.Key("mcp.session.id")
	toolName         = attribute.Key("gen_ai.tool.name")
	operationName    = attribute.Key("gen_ai.operation.name")
	errorType        = attribute.Key("error.type")
	statusCode       = attribute.Key("rpc.response.status_code")
	networkTransport = attribute.Key("network.transport")
	networkProtocol  = attribute.Key("network.protocol.name")
	serverAddress    = attribute.Key("server.address")
	serverPort       = attribute.Key("server.port")
	// pseudoID stands for a person: it is the same for one and tells nobody who it is. It is of no metric, for there are many.
	pseudoID = attribute.Key("enduser.pseudo.id")
)

// Ours, for what the conventions have no word for.
const (
	// runID is the run's in the audit file.
	runID = attribute.Key("codemode.run.id")
	// runOutcome is ok, failed or error; runKind says which failure or error.
	runOutcome = attribute.Key("codemode.run.outcome")
	runKind    = attribute.Key("codemode.run.kind")
	runCalls   = attribute.Key("codemode.run.calls")
	// viewName is what the configuration calls the view that a run came through. There are few, so metrics have it, too.
	viewName = attribute.Key("codemode.view.name")
	// serverName is what the configuration calls the server of a call.
	serverName = attribute.Key("codemode.server.name")
	// policy is what the policy said of a call, policyWait how long that took, in seconds.
	policy     = attribute.Key("codemode.policy.action")
	policyWait = attribute.Key("codemode.policy.wait")
)

// executesTool is of every span but those of reads.
var executesTool = operationName.String("execute_tool")

// toolCall are the attributes of a request to call a tool.
func toolCall(tool string) []attribute.KeyValue {
	return []attribute.KeyValue{methodName.String("tools/call"), executesTool, toolName.String(tool)}
}

// methodOf is what a call asks its server with.
func methodOf(c *mcpserver.AuditCall) string { return cmp.Or(c.Method, "tools/call") }

// spanName is a request's. What a read is of (a URI, a prompt's name) is an argument of the program's, and in no name.
func spanName(c *mcpserver.AuditCall) string {
	if c.Method != "" {
		return c.Method
	}
	return "tools/call " + c.Tool
}

// callOf is what is known of a call when it begins. A read executes no tool.
func callOf(c *mcpserver.AuditCall) []attribute.KeyValue {
	if c.Method != "" {
		return []attribute.KeyValue{serverName.String(c.Server)}
	}
	return []attribute.KeyValue{executesTool, toolName.String(c.Tool), serverName.String(c.Server)}
}

// destination is where a call goes.
func destination(to mcpserver.Destination) []attribute.KeyValue {
	list := appendText(nil, protocolVersion, to.Revision)
	list = appendText(list, networkTransport, to.Transport)
	if to.Transport == "tcp" {
		list = append(list, networkProtocol.String("http"))
	}
	if to.Address != "" {
		list = append(list, serverAddress.String(to.Address))
		if to.Port > 0 {
			list = append(list, serverPort.Int(to.Port))
		}
	}
	return list
}

// errorOfCall is empty for one that went well. Kinds that are numbers are codes of JSON-RPC errors.
func errorOfCall(c *mcpserver.AuditCall) []attribute.KeyValue {
	if c.Outcome == "ok" {
		return nil
	}
	kind := cmp.Or(c.Kind, c.Outcome)
	list := []attribute.KeyValue{errorType.String(kind)}
	if kind[0] == '-' || '0' <= kind[0] && kind[0] <= '9' {
		list = append(list, statusCode.String(kind))
	}
	return list
}

func policyOf(c *mcpserver.AuditCall) []attribute.KeyValue {
	list := appendText(nil, policy, c.Policy)
	if c.WaitMs > 0 {
		list = append(list, policyWait.Float64(c.WaitMs/1000))
	}
	return list
}

// errorOfRun is empty for one that went well. A run that fails is answered by a result that says so.
func errorOfRun(r *mcpserver.AuditRun) []attribute.KeyValue {
	if r.Outcome == "ok" {
		return nil
	}
	return []attribute.KeyValue{errorType.String("tool_error")}
}

func measuresOf(r *mcpserver.AuditRun) []attribute.KeyValue {
	return append(appendText(nil, runKind, r.Kind), runOutcome.String(r.Outcome), runCalls.Int(len(r.Calls)+r.MoreCalls))
}

// pseudonym is what stands for the subject of an access token; empty without one.
func pseudonym(r *mcpserver.AuditRun) string {
	if r.Subject == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(r.Issuer + "\x00" + r.Subject))
	return hex.EncodeToString(sum[:16])
}

// appendText adds an attribute that is known.
func appendText(list []attribute.KeyValue, key attribute.Key, value string) []attribute.KeyValue {
	if value == "" {
		return list
	}
	return append(list, key.String(value))
}
