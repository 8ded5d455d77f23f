package options

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// output is Open MPI 5's, a list of words, or srun's, a file.
var output = by("--tag-output, --output-dir and such, or --output-file", func(l *line, value string) ([]string, error) {
	var ours []string
	for word := range strings.SplitSeq(value, ",") {
		name, of, _ := strings.Cut(word, "=")
		switch name {
		case "tag", "tag-detailed", "tag-fullname", "rank":
			ours = append(ours, "--tag-output")
		case "timestamp":
			ours = append(ours, "--timestamp-output")
		case "merge", "merge-stderr-to-stdout":
			ours = append(ours, "--merge-output")
		case "dir", "directory":
			ours = append(ours, "--output-dir", strings.SplitN(of, ":", 2)[0])
		case "file", "filename":
			ours = append(ours, "--output-file", escape(strings.SplitN(of, ":", 2)[0])+".%0r",
				"--merge-output")
		default:
			if ours == nil && !strings.Contains(value, ",") && word != "xml" {
				return slurmOutput.flags(l, []string{value})
			}
			return nil, fmt.Errorf("%q: of Open MPI's words pvasrun knows tag, timestamp, merge, dir=DIR and file=FILE",
				word)
		}
	}
	return ours, nil
})

// slurmOutput is srun's file for the output: that of the errors, too, if no other is named.
var slurmOutput = by("--output-file", func(l *line, value string) ([]string, error) {
	switch value {
	case "all":
		return nil, nil
	case "none":
		value = os.DevNull
	}
	if err := oneRank(value); err != nil {
		return nil, err
	}
	file, err := slurmPattern(value)
	ours := []string{"--output-file", file}
	if !l.has("e", "error") {
		ours = append(ours, "--merge-output")
	}
	return ours, err
})

var slurmError = by("--error-file", func(_ *line, value string) ([]string, error) {
	if value == "none" {
		value = os.DevNull
	}
	if err := oneRank(value); err != nil {
		return nil, err
	}
	file, err := slurmPattern(value)
	return []string{"--error-file", file}, err
})

// oneRank refuses a number, which is to srun the rank whose output alone is shown.
func oneRank(value string) error {
	if _, err := strconv.Atoi(value); err != nil {
		return nil
	}
	return fmt.Errorf("%q is to srun the rank whose output alone is kept: write -o out.%%t for a file of each, or "+
		"./%s for a file", value, value)
}

// outputFilename is the folder of Open MPI 4. pvasrun adds no job to its name, and copies nothing to the terminal.
var outputFilename = flagOf("--output-dir", func(value string) string {
	dir, words, _ := strings.Cut(value, ":")
	for word := range strings.SplitSeq(words, ",") {
		if word != "nojobid" && word != "nocopy" {
			return value
		}
	}
	return dir
})

// display is Open MPI 5's list of what to print.
var display = by("--display-map and --report-bindings", func(_ *line, value string) (ours []string, err error) {
	for word := range strings.SplitSeq(value, ",") {
		name, _, _ := strings.Cut(word, ":")
		flag, known := map[string]string{"map": "--display-map", "map-devel": "--display-map",
			"map-diffable": "--display-map", "allocation": "--display-map", "bind": "--report-bindings",
			"bindings": "--report-bindings"}[name]
		if !known {
			return nil, fmt.Errorf("%q: of Open MPI's words pvasrun knows map, allocation and bind; pvasrun info says "+
				"what there is", word)
		}
		if !slices.Contains(ours, flag) {
			ours = append(ours, flag)
		}
	}
	return ours, nil
})

// escape returns the pattern of a text in which nothing stands for something else.
func escape(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// hydraPattern is a flag whose pattern is Hydra's: %r is the rank, %h the node, %g the number of the group, which is 0.
func hydraPattern(flag string) action {
	return by(flag, func(_ *line, value string) ([]string, error) {
		ours, err := signs(value, map[byte]string{'r': "%r", 'h': "%h", 'g': "0", 'a': "0", '%': "%%"})
		return []string{flag, ours}, err
	})
}

// slurmPattern is a pattern of srun's: %t is the rank, %N the node. A digit before it is a width.
func slurmPattern(value string) (string, error) {
	if strings.HasPrefix(value, `\`) { // nothing stands for something else
		return escape(value[1:]), nil
	}
	job := escape(os.Getenv("SLURM_JOB_ID"))
	return signs(value, map[byte]string{'t': "%r", 'N': "%h", 'j': job, 'J': job, 'A': job,
		'u': escape(os.Getenv("USER")), 'x': escape(os.Getenv("SLURM_JOB_NAME")), 's': "0", '%': "%%"})
}

// signs replaces the signs of another launcher's pattern by ours.
func signs(value string, by map[byte]string) (string, error) {
	var ours strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '%' {
			ours.WriteByte(value[i])
			continue
		}
		for i++; i < len(value) && value[i] >= '0' && value[i] <= '9'; i++ { // a width: see below
		}
		if i == len(value) {
			return "", errors.New("a percent sign ends the pattern: write %% for a percent sign")
		}
		sign, known := by[value[i]]
		if !known {
			return "", fmt.Errorf("%q: pvasrun knows no %%%c: write --output-file, --error-file or --line-prefix, in "+
				"which %%r stands for the rank, %%0r with zeros before it, and %%h for the node", value, value[i])
		}
		if value[i-1] != '%' && sign == "%r" {
			sign = "%0r" // as wide as the ranks need
		}
		ours.WriteString(sign)
	}
	return ours.String(), nil
}
