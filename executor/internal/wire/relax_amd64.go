package wire

// relax has the processor wait some ten nanoseconds, and leave what it shares with a sibling to that.
func relax()
