//go:build cgo && (linux || darwin)

package worker_test

import ("testing";"time";"fmt";"github.com/codemode-go/codemode/executor/internal/wire")

func TestTiming(t *testing.T) {
	t0:=time.Now()
	c := startChild(t, wire.Options{})
	fmt.Println("spawn to ready", time.Since(t0), c.ready)
	for i:=0;i<8;i++ { t0=time.Now(); o:=c.run(program{code:"async () => 1"}); fmt.Println("wall", o.done.WallMicros,"cpu",o.done.CPUMicros,"total incl. next ready",time.Since(t0)) }
	for i:=0;i<4;i++ { t0=time.Now(); o:=c.run(program{code:"async () => { for (let i = 0; i < 2000; i++) await codemode.echo(i)}"}); fmt.Println("2000 calls: wall", o.done.WallMicros/2000,"cpu",o.done.CPUMicros/2000) }
	for i:=0;i<4;i++ { t0=time.Now(); o:=c.run(program{code:"async () => { await Promise.all(Array.from({length:1000},(_, i)=>codemode.echo(i)))}"}); fmt.Println("1000 parallel calls: wall", o.done.WallMicros/1000,"cpu",o.done.CPUMicros/1000) }
}
