package limits

import (
	"io/fs"
	"path"
	"strings"
)

// Cpuset returns the list of CPUs that the control group of this process leaves it, as the kernel writes it: "0-3,8".
// It is "" where no group says so.
func Cpuset(root fs.FS) string {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for _, g := range groupFolders(string(groups), string(mounts), "cpuset") {
		// A group of version 2 without the controller has the CPUs of the one above it.
		for dir := g.dir; ; dir = path.Dir(dir) {
			for _, name := range []string{"cpuset.cpus.effective", "cpuset.effective_cpus"} {
				text, err := fs.ReadFile(root, strings.TrimPrefix(path.Join(dir, name), "/"))
				if list := strings.TrimSpace(string(text)); err == nil && list != "" {
					return list
				}
			}
			if dir == g.top || dir == "." || dir == "/" {
				break
			}
		}
	}
	return ""
}
