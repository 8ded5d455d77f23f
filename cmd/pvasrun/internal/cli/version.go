package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/gopvas/gopvas/internal/node/linkage"
)

// Version is that of the module, with the commit, the mark of this build, the Go version and platform.
func Version() string {
	mark := linkage.Build()
	if c := commitOf(); c != "" {
		mark += " commit " + c
	}
	return fmt.Sprintf("%s build %s %s %s/%s", ModuleVersion(), mark, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// The build of a release sets them: internal/test/release.
var release, commit string

// commitOf is the commit that this program was built of, "" if that is not known.
func commitOf() string {
	if commit != "" {
		return commit
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), shortCommit)]
		}
	}
	return ""
}

const shortCommit = 9

// ModuleVersion is the version of a release, or that of the module.
func ModuleVersion() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
