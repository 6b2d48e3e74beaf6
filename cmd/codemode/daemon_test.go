package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// daemonUnderTest is the daemon of one script.
type daemonUnderTest struct {
	cmd   *exec.Cmd
	done  chan struct{}
	url   string
	mu    sync.Mutex
	lines strings.Builder
}

// daemonCmd lets a script have a daemon:
//
//	daemon start ARGS…   starts it, and sets URL once it listens
//	daemon signal NAME   sends HUP or TERM
//	daemon kill          as kill -9 has it
//	daemon wait          waits for its end, and writes what it said to the file daemon.log
//	daemon certificate FILE  writes a certificate for 127.0.0.1 that is its own authority, and its key
//	daemon get PATH      asks it over HTTP; answers go to the file answer
//	daemon until FILE ARGS…  runs codemode with FILE as input until it succeeds
func daemonCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: daemon start|signal|kill|wait|get|certificate|until …")
	}
	if args[0] == "start" {
		startDaemon(ts, args[1:])
		return
	}
	if args[0] == "certificate" {
		writeCertificate(ts, ts.MkAbs(args[1]))
		return
	}
	d := ts.Value(daemonKey{}).(*daemonUnderTest)
	if d.cmd == nil {
		ts.Fatalf("there is no daemon")
	}
	switch args[0] {
	case "signal":
		ts.Check(d.cmd.Process.Signal(map[string]syscall.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM}[args[1]]))
	case "kill":
		ts.Check(d.cmd.Process.Kill())
		<-d.done
	case "wait":
		select {
		case <-d.done:
		case <-time.After(time.Minute):
			ts.Fatalf("the daemon does not end")
		}
		ts.Check(os.WriteFile(ts.MkAbs("daemon.log"), []byte(d.said()), 0o600))
	case "get":
		d.get(ts, args[1])
	case "until":
		for deadline := time.Now().Add(time.Minute); ; {
			run := exec.Command(codemodeOf(ts), args[2:]...)
			run.Stdin = strings.NewReader(ts.ReadFile(args[1]))
			if run.Run() == nil {
				return
			}
			if time.Now().After(deadline) {
				ts.Fatalf("it never succeeds")
			}
		}
	}
}

// daemonKey is where Setup puts a script's daemon, which is none until it is started.
type daemonKey struct{}

// codemodeOf finds the command as the script does.
func codemodeOf(ts *testscript.TestScript) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, "codemode"); exec.Command(path, "version").Run() == nil {
			return path
		}
	}
	ts.Fatalf("codemode is not on the script's PATH")
	return ""
}

func startDaemon(ts *testscript.TestScript, args []string) {
	d := ts.Value(daemonKey{}).(*daemonUnderTest)
	d.cmd, d.done = exec.Command(codemodeOf(ts), append([]string{"daemon"}, args...)...), make(chan struct{})
	d.cmd.Dir = ts.MkAbs(".")
	stderr, err := d.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(d.cmd.Start())
	cmd, done := d.cmd, d.done
	listening := make(chan string, 1)
	go func() { // ends with the daemon, which the script's end kills
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			d.mu.Lock()
			fmt.Fprintln(&d.lines, lines.Text())
			d.mu.Unlock()
			if url, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
				listening <- url
			}
		}
		_ = cmd.Wait() // by then it was killed, or said why it ended
		close(done)
	}()
	ts.Defer(func() { _ = cmd.Process.Kill(); <-done })
	select {
	case d.url = <-listening:
	case <-done:
		ts.Fatalf("the daemon ended: %s", d.said())
	case <-time.After(time.Minute):
		ts.Fatalf("the daemon does not listen: %s", d.said())
	}
	ts.Setenv("URL", d.url)
}

func (d *daemonUnderTest) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lines.String()
}

func (d *daemonUnderTest) get(ts *testscript.TestScript, path string) {
	response, err := http.Get("http" + strings.TrimPrefix(d.url, "ws") + path)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), text, 0o600))
}

// writeCertificate makes a certificate that serves and connects.
func writeCertificate(ts *testscript.TestScript, path string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "one"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	ts.Check(os.WriteFile(path, text, 0o600))
}
