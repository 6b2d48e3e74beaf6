package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// secretTimeout bounds one command that prints a secret: a password manager that is locked answers at once, and one
// that opens a window would hold every server up.
const secretTimeout = 15 * time.Second

// maxSecret bounds what such a command may print.
const maxSecret = 64 << 10

// commands runs what prints secrets, each once for one reading of the files. What they print is in no message, on
// neither stream.
type commands struct {
	known map[string]answer
}

type answer struct {
	value string
	err   error
}

// run runs a shell command and returns what it prints, without the last line end.
func (c *commands) run(command string) (string, error) {
	if strings.TrimSpace(command) == "" {
		return "", errors.New("uses ${command:}, which names no command")
	}
	shell := []string{"/bin/sh", "-c", command}
	if runtime.GOOS == "windows" {
		shell = []string{os.Getenv("COMSPEC"), "/c", command}
	}
	return c.once("uses ${command:…}, and that command", shell...)
}

// keychain asks the machine's secret store for "service/account", or "service" alone.
func (c *commands) keychain(name string) (string, error) {
	service, account, _ := strings.Cut(name, "/")
	if service == "" {
		return "", errors.New("uses ${keychain:}, which names no service; write ${keychain:service/account}")
	}
	var ask []string
	switch runtime.GOOS {
	case "darwin":
		if ask = []string{"/usr/bin/security", "find-generic-password", "-w", "-s", service}; account != "" {
			ask = append(ask, "-a", account)
		}
	case "linux", "freebsd", "openbsd", "netbsd":
		tool, err := exec.LookPath("secret-tool")
		if err != nil {
			return "", fmt.Errorf("uses ${keychain:%s}, and this machine's secret service is reached by the program secret-tool (of libsecret), which is not installed; install it, or use ${command:…}", name)
		}
		if ask = []string{tool, "lookup", "service", service}; account != "" {
			ask = append(ask, "account", account)
		}
	default:
		return "", fmt.Errorf("uses ${keychain:%s}, and there is no keychain that we can read on %s; use ${command:…} with a program that prints the secret", name, runtime.GOOS)
	}
	return c.once(fmt.Sprintf("uses ${keychain:%s}, and its lookup", name), ask...)
}

func (c *commands) once(what string, argv ...string) (string, error) {
	key := strings.Join(argv, "\x00")
	if a, ok := c.known[key]; ok {
		return a.value, a.err
	}
	value, err := output(what, argv)
	if c.known == nil {
		c.known = map[string]answer{}
	}
	c.known[key] = answer{value, err}
	return value, err
}

func output(what string, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), secretTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	command.WaitDelay = time.Second // a grandchild may keep the pipe open
	out, err := command.Output()
	exit := (*exec.ExitError)(nil)
	switch value := strings.TrimRight(string(out), "\r\n"); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not end within %s", what, secretTimeout)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s failed (%s); run it in a terminal to see why", what, exit.ProcessState)
	case err != nil:
		return "", fmt.Errorf("%s cannot run: %w", what, err)
	case value == "":
		return "", fmt.Errorf("%s printed nothing", what)
	case len(value) > maxSecret:
		return "", fmt.Errorf("%s printed more than %d bytes", what, maxSecret)
	default:
		return value, nil
	}
}
