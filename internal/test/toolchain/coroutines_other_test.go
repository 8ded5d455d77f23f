//go:build !amd64 && !arm64

package toolchain

import "testing"

func testCoroutines(t *testing.T) { t.Skip("package coro is for amd64 and arm64") }
