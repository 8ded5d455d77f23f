package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is that of the module, with the Go version and platform.
func Version() string {
	return fmt.Sprintf("%s %s %s/%s", ModuleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func ModuleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
