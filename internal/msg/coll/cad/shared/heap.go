//go:build !race

package shared

// heapOnly tells that nodes lie on Go's heap whatever the module has: see heap_race.go.
const heapOnly = false

func keep([]byte) {}
