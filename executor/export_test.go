package executor

import "time"

// TakeToolsForQuick has every tool's second call made on the reader's goroutine. It is for a pool that has run nothing yet.
func (p *Pool) TakeToolsForQuick() { p.atOnce = time.Hour }

// KeepReaders has no reader relieved that is held up, as it may be wherever a busy machine stops it. It is for a pool that has run
// nothing yet.
func (p *Pool) KeepReaders() { p.heldUp = time.Hour }
