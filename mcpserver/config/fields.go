package config

import "slices"

// shape is what a value of a field may be.
type shape string

const (
	shapeString   shape = "string"
	shapeCommand  shape = "command" // a string, or an array of strings
	shapeList     shape = "list"    // an array of strings
	shapeMap      shape = "map"     // an object of strings
	shapeDuration shape = "duration"
	shapeCount    shape = "count" // a whole number from 1
	shapeBool     shape = "bool"
	shapeObject   shape = "object" // has fields
	shapeObjects  shape = "objects"
)

// field describes one member that a file may have. The tables of them are what reading, the published schema and
// docs/configuration.md agree on.
type field struct {
	key string
	// aliases are what hosts call it.
	aliases []string
	shape   shape
	// most bounds a count; 0 is the largest 32-bit number.
	most int64
	// values are the texts that a string may be; empty is any.
	values []string
	// standard is the default, in words.
	standard string
	doc      string
	fields   []field
}

// serverFields are the members of a server's entry.
var serverFields = []field{
	{key: "command", aliases: []string{"cmd"}, shape: shapeCommand, doc: "Program to start: a name to look up, a path, or an array that holds the arguments too."},
	{key: "args", shape: shapeList, doc: "Arguments of the program."},
	{key: "env", aliases: []string{"envs", "environment"}, shape: shapeMap, doc: "Environment variables of the program, on top of a short allow-list of ours."},
	{key: "envFile", shape: shapeString, doc: "File of NAME=value lines, read before env."},
	{key: "envKeys", aliases: []string{"env_keys", "env_vars"}, shape: shapeList, doc: "Names of our environment variables that the program gets as they are."},
	{key: "inheritEnv", shape: shapeBool, standard: "false", doc: "Give the program all of our environment."},
	{key: "cwd", shape: shapeString, standard: "ours", doc: "Directory the program starts in."},
	{key: "url", aliases: []string{"serverUrl", "httpUrl", "uri", "baseUrl"}, shape: shapeString, doc: "Address of a remote server; with openapi, the base of its operations."},
	{key: "headers", aliases: []string{"http_headers"}, shape: shapeMap, doc: "HTTP headers of every request."},
	{key: "envHeaders", aliases: []string{"env_http_headers"}, shape: shapeMap, doc: "HTTP headers whose values are in our environment: {header: name of the variable}."},
	{key: "bearerTokenEnv", aliases: []string{"bearer_token_env_var"}, shape: shapeString, doc: "Name of the environment variable that holds a bearer token."},
	{key: "headersCommand", aliases: []string{"headersHelper"}, shape: shapeString, doc: "Shell command that prints a JSON object of further headers."},
	{key: "oauth", aliases: []string{"auth"}, shape: shapeObject, doc: "OAuth client of a remote server, where it cannot register itself.", fields: []field{
		{key: "clientId", aliases: []string{"CLIENT_ID", "client_id"}, shape: shapeString, doc: "Identifier of a client that was registered before."},
		{key: "clientSecret", aliases: []string{"CLIENT_SECRET", "client_secret"}, shape: shapeString, doc: "Its secret; better a ${keychain:…}."},
		{key: "scopes", shape: shapeList, doc: "Scopes to ask for."},
		{key: "callbackPort", shape: shapeCount, most: 65535, standard: "a free port", doc: "Port of the loopback address that the browser returns to."},
		{key: "authServerMetadataUrl", shape: shapeString, doc: "Address of the authorization server's metadata, where the server does not tell it."},
	}},
	{key: "openapi", shape: shapeString, doc: "File or address of an OpenAPI 3 document whose operations become the functions."},
	{key: "security", shape: shapeMap, doc: "With openapi, values for the document's security schemes by their names: a key, a bearer token, or user:password for basic authentication."},
	{key: "type", aliases: []string{"transport", "transportType"}, shape: shapeString, standard: "stdio with command, http with url", doc: "Transport: stdio, http or one of its spellings (streamable-http, remote), openapi."},
	{key: "disabled", shape: shapeBool, standard: "false", doc: "Leave the server out; enabled: false is the same."},
	{key: "enabled", shape: shapeBool, standard: "true", doc: "The opposite of disabled."},
	{key: "namespace", shape: shapeString, standard: "the server's name as an identifier", doc: "What programs call the server."},
	{key: "includeTools", aliases: []string{"enabled_tools", "tools"}, shape: shapeList, standard: "all", doc: "Globs over tools' names, the server's own (`get-sum`) or the one that programs call (`get_sum`): only these are there. Case does not count."},
	{key: "excludeTools", aliases: []string{"disabled_tools", "disabledTools"}, shape: shapeList, doc: "Globs over tools' names of either kind: these are not there. Case does not count."},
	{key: "startTimeout", aliases: []string{"startupTimeout", "startup_timeout", "startup_timeout_sec", "startup_timeout_ms"}, shape: shapeDuration, standard: "codemode.startTimeout", doc: "Bound of the server's start."},
	{key: "timeout", aliases: []string{"tool_timeout_sec"}, shape: shapeDuration, standard: "the run's", doc: "Bound of one call."},
}

// hostFields only concern the host that the file was written for, and change nothing about what the server may do.
var hostFields = []string{
	"alwaysAllow", "alwaysLoad", "autoApprove", "autoStart", "available_tools", "bundled", "description", "dev", "display_name",
	"gallery", "icon", "metadata", "name", "provider", "required", "settings", "source", "title",
	"timeoutMs", "trust", "version",
}

// fieldOf finds the field that a key spells.
func fieldOf(fields []field, key string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key || slices.Contains(f.aliases, key) })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}
