package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is that of the module, with the Go version and platform.
func version() string {
	return fmt.Sprintf("%s %s %s/%s", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
