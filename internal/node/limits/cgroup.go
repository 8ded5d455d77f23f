package limits

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// readCgroupPids returns the limit on threads of the control group this process
// is in, and how many there are now. Limits of the groups above hold as well, so
// it takes the group with the least left. limit is nil if none of them limits.
// Both versions of control groups are looked at: a machine may have both.
func readCgroupPids(root fs.FS) (limit *uint64, used uint64, err error) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil // a kernel without control groups
	}
	if err != nil {
		return nil, 0, err
	}
	mounts, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return nil, 0, err
	}
	for _, g := range groupFolders(string(groups), string(mounts), "pids") {
		for dir := g.dir; ; dir = path.Dir(dir) {
			value, now, err := readPids(root, dir)
			if err != nil {
				return nil, 0, err
			}
			if value != nil && (limit == nil || left(*value, now) < left(*limit, used)) {
				limit, used = value, now
			}
			if dir == g.top || dir == "." || dir == "/" {
				break
			}
		}
	}
	return limit, used, nil
}

func left(limit, used uint64) uint64 { return limit - min(used, limit) }

// readPids reads one group; limit is nil where it has none.
func readPids(root fs.FS, dir string) (limit *uint64, used uint64, err error) {
	file := strings.TrimPrefix(path.Join(dir, "pids.max"), "/")
	text, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil // the root group, or the controller is off
	}
	if err != nil {
		return nil, 0, err
	}
	word := strings.TrimSpace(string(text))
	if word == "max" {
		return nil, 0, nil
	}
	value, err := parseUint(word)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	used, err = readUint(root, path.Join(path.Dir(file), "pids.current"))
	return &value, used, err
}

// groupFolder is where a control group shows in the file system, and where the
// hierarchy it belongs to begins.
type groupFolder struct{ dir, top string }

// groupFolders finds the folders of the groups that a controller may limit, from the text of /proc/self/cgroup and
// /proc/self/mountinfo.
func groupFolders(groups, mounts, controller string) []groupFolder {
	var found []groupFolder
	for line := range strings.Lines(groups) {
		// hierarchy:controllers:path; version 2 is 0::path
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		v2 := f[1] == ""
		if !v2 && !slices.Contains(strings.Split(f[1], ","), controller) {
			continue
		}
		for mount := range strings.Lines(mounts) {
			if g, ok := inMount(mount, f[2], controller, v2); ok {
				found = append(found, g)
			}
		}
	}
	return found
}

// inMount says where a group shows if the line of mountinfo is a mount of its
// hierarchy. The line is
//
//	36 35 0:30 ROOT MOUNTPOINT OPTIONS... - TYPE SOURCE SUPEROPTIONS
//
// where ROOT is the group that the mount point shows.
func inMount(line, group, controller string, v2 bool) (groupFolder, bool) {
	before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
	left, right := strings.Fields(before), strings.Fields(after)
	if !ok || len(left) < 5 || len(right) < 3 {
		return groupFolder{}, false
	}
	switch {
	case v2 && right[0] == "cgroup2":
	case !v2 && right[0] == "cgroup" && slices.Contains(strings.Split(right[2], ","), controller):
	default:
		return groupFolder{}, false
	}
	// Rooted paths keep ".." from leading out of the mount.
	top, shown, own := rooted(left[4]), rooted(left[3]), rooted(group)
	below, ok := strings.CutPrefix(own, strings.TrimSuffix(shown, "/"))
	if !ok || below != "" && below[0] != '/' {
		below = "" // a group outside what is mounted: its top is the best there is
	}
	return groupFolder{dir: rooted(top + below), top: top}, true
}

// rooted is the shortest absolute path that means the same.
func rooted(p string) string { return path.Clean("/" + p) }
