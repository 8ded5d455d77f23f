package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/launcher"
)

// outputOfRank is what files are called that --output-dir makes.
var outputOfRank = regexp.MustCompile(`^rank\.(\d+)\.std(?:out|err)$`)

// outputFlags say where the output of ranks goes, and how.
type outputFlags struct {
	TagOutput   bool   `long:"tag-output" env:"PVASRUN_TAG_OUTPUT" description:"begin every line with [rank]<stream>:"`
	TimeOutput  bool   `long:"timestamp-output" env:"PVASRUN_TIMESTAMP_OUTPUT" description:"begin every line with the time"`
	LinePrefix  string `long:"line-prefix" env:"PVASRUN_LINE_PREFIX" value-name:"TEXT" description:"begin every line with a text, in which %r stands for the rank (%0r: with zeros before it), %s for stdout or stderr, %h for the node, %T for the time, %% for a percent sign"`
	OutputDir   string `long:"output-dir" env:"PVASRUN_OUTPUT_DIR" value-name:"DIR" description:"write to a file per rank and stream in this directory instead"`
	OutputFile  string `long:"output-file" env:"PVASRUN_OUTPUT_FILE" value-name:"FILE" description:"write the ranks' standard output to a file, which %0r, %h and %s make one for each"`
	ErrorFile   string `long:"error-file" env:"PVASRUN_ERROR_FILE" value-name:"FILE" description:"the same for their standard error"`
	MergeOutput bool   `long:"merge-output" env:"PVASRUN_MERGE_OUTPUT" description:"the ranks' standard error goes where their standard output goes"`
}

// output is what the flags say of the output of ranks.
func (f *outputFlags) output() launcher.Output {
	o := launcher.Output{Prefix: f.LinePrefix, Files: [2]string{f.OutputFile, f.ErrorFile}, Merge: f.MergeOutput}
	if f.OutputDir != "" {
		o.GoTo(f.OutputDir)
	}
	if f.TagOutput {
		o.Tag()
	}
	if f.TimeOutput {
		o.Prefix = "%T " + o.Prefix
	}
	return o
}

// check refuses flags that contradict one another, and patterns with unknown signs.
func (f *outputFlags) check() error {
	o := f.output()
	switch {
	case f.OutputDir != "" && f.OutputFile+f.ErrorFile != "":
		return errors.New("--output-dir with --output-file or --error-file: give one of them")
	case f.ErrorFile != "" && f.MergeOutput:
		return errors.New("--error-file with --merge-output: give one of them")
	}
	if err := o.Check(); err != nil {
		return fmt.Errorf("--line-prefix, --output-file or --error-file: %w", err)
	}
	if o.Prefix != "" && o.Files != [2]string{} {
		fmt.Fprintln(os.Stderr, "pvasrun: --tag-output, --timestamp-output and --line-prefix are for what pvasrun "+
			"prints: the files have the ranks' lines as they are")
	}
	return nil
}

// checkOutput returns an error if the flags of output are wrong, or --output-dir names no folder, or --trace names a
// file of it.
func (f *Flags) checkOutput() error {
	if err := f.check(); err != nil {
		return err
	}
	if inOutputDir(f.Trace, f.OutputDir) {
		return fmt.Errorf("--trace %s: the output of a rank goes to that file of --output-dir: name another file",
			f.Trace)
	}
	if f.PMI || f.nodes.Hosts != nil || f.DryRun {
		return nil // it is a folder of other nodes, or of nobody
	}
	if err := noFolder(f.OutputDir); err != nil {
		return fmt.Errorf("--output-dir: %w", err)
	}
	return nil
}

// sayOldOutput tells of files in --output-dir that look like output of this job, and are of one with more ranks.
func (f *Flags) sayOldOutput(ranks int) {
	if f.OutputDir == "" {
		return
	}
	entries, _ := os.ReadDir(f.OutputDir) // an error: it is made anew, or refused later
	var old []string
	for _, e := range entries {
		m := outputOfRank.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if rank, err := strconv.Atoi(m[1]); err != nil || rank >= ranks {
			old = append(old, e.Name())
		}
	}
	if old != nil {
		fmt.Fprintf(os.Stderr, "pvasrun: --output-dir %s: %d files are of an earlier job and stay, such as %s\n",
			f.OutputDir, len(old), old[0])
	}
}

// noFolder returns an error if there is something else than a folder at path, or on the way to it.
func noFolder(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return fmt.Errorf("%s: it is no folder: name another one", path)
	}
	return nil
}

// inOutputDir tells whether a file is one that the output of a rank goes to.
func inOutputDir(file, dir string) bool {
	return file != "" && outputOfRank.MatchString(filepath.Base(file)) && cli.OneFile(filepath.Dir(file), dir)
}
