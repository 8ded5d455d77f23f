//go:build go1.26 && !go1.27

package exit

import (
	"slices"
	"unsafe"
)

// hook is Hook of the runtime's package exithook, which packages outside of the library cannot import. In a release of
// Go that this has not been tried with, ranks end where they are.
type hook struct {
	f func()
	_ bool // whether it is also called at other codes than 0
}

// LeaveFirst has this process, which shares its memory, leave it when the program ends with code 0. It is called once.
// hooks is the address of the variable exithook.hooks, 0: it is not known. No other goroutine may add hooks meanwhile:
// only the tool for coverage does, before main. The new one comes first in the list, and so is called last.
func LeaveFirst(hooks uint64) {
	if hooks == 0 {
		return
	}
	at := uintptr(hooks)
	list := *(**[]hook)(unsafe.Pointer(&at))
	*list = slices.Insert(*list, 0, hook{f: leave})
}
