package runner

import "path/filepath"

// WithPrograms is a contestant that runs NASA's own programs, such as is.A.x, which were built for it and are in dir;
// "": it does not.
func WithPrograms(c Contestant, dir string) Contestant {
	if c.programs = dir; dir != "" {
		if path, err := filepath.Abs(dir); err == nil { // a name without a folder would be looked for in PATH
			c.programs = path
		}
	}
	return c
}

// Built is where a program of NASA is that the contestant runs; "" if it runs those of package npb.
func (c Contestant) Built(program string) string {
	if c.programs == "" {
		return ""
	}
	return filepath.Join(c.programs, program)
}
