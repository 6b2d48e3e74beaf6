package remote

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are what may stand after the number of a size. A bare K, M or G is a thousand to some and 1,024 to others, so it is none.
var units = map[string]int64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}

// ParseBytes reads a size of at least one byte as people write it: 67108864, 64MB or 64MiB, in any case.
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, known := units[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 63)
	if err != nil || !known || n == 0 || int64(n) > math.MaxInt64/unit {
		return 0, fmt.Errorf("must be a size in bytes, such as 67108864, 64MB or 64MiB, is %q", text)
	}
	return int64(n) * unit, nil
}
