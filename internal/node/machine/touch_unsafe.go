package machine

import "github.com/gopvas/gopvas/internal/node/sys"

// touch writes to a page that this process has mapped.
func touch(addr uintptr) { sys.Bytes(addr, 1)[0] = 1 }
