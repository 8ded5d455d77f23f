package pml_test

import "github.com/gopvas/gopvas/internal/node/sys"

// farBytes views memory that a test has mapped.
func farBytes(at uintptr, n int) []byte { return sys.Bytes(at, n) }
