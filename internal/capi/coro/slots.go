package coro

import "runtime"

// slots is what GOMAXPROCS was when the library was loaded. It is 1 while a coroutine calls: a slot (P)
// has a cache of memory for each class of sizes, and what one slot has cached another does not
// use. The packages whose initialisation allocates are initialised after this one, since it
// imports nothing but the runtime.
var slots = runtime.GOMAXPROCS(1)

// Slots returns what it was. It is for a process whose threads call by cgo.
func Slots() int { return slots }
