package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/gopvas/gopvas/internal/linkage"
)

// Version is that of the module, with the mark of this build, the Go version and platform.
func Version() string {
	return fmt.Sprintf("%s build %s %s %s/%s", ModuleVersion(), linkage.Build(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}

func ModuleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
