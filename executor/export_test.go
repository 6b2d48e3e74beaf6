package executor

import "time"

// TakeToolsForQuick has every tool's second call made on the reader's goroutine. It is for a pool that has run nothing yet.
func (p *Pool) TakeToolsForQuick() { p.atOnce = time.Hour }
