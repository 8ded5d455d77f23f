package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/perfetto"
	"github.com/gopvas/gopvas/internal/node/symbol"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/trace"
)

// Execute is the command trace: it looks at what --trace has recorded.
func Execute(args []string) error {
	commands := map[string]func([]string) error{
		"info": executeTraceInfo, "list": executeTraceList, "perfetto": executeTracePerfetto,
	}
	return cli.ExecuteOne("trace", commands, args,
		"say what to do: pvasrun trace info FILE, or list, or perfetto")
}

func executeTraceInfo(args []string) error {
	var f struct {
		JSON bool `long:"json" env:"PVASRUN_JSON" description:"print one JSON object"`
	}
	t, err := openTrace("info", &f, args)
	if err != nil {
		return err
	}
	s := t.Summary()
	if f.JSON {
		return json.NewEncoder(os.Stdout).Encode(s)
	}
	return printTrace(os.Stdout, &s)
}

// openTrace parses the flags of a command that looks at one trace, and reads the file.
func openTrace(command string, flags any, args []string) (*trace.Trace, error) {
	file, err := oneTrace(command, flags, args)
	if err != nil {
		return nil, err
	}
	t, err := OpenNamed(file, trace.Open)
	if err != nil {
		return nil, cli.InputMistake(err)
	}
	return t, nil
}

// oneTrace parses the flags of a command that looks at one trace, and returns the file.
func oneTrace(command string, flags any, args []string) (file string, err error) {
	files, err := cli.ParseMixed("pvasrun trace "+command, "[flags] FILE", flags, args)
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", cli.Mistake(fmt.Errorf("trace %s: name one trace", command))
	}
	return files[0], nil
}

// OpenNamed reads a trace, with the functions and lines of its C programs. What is missing for that
// is said. open is trace.Open or trace.OpenOnDisk.
func OpenNamed(file string, open func(string) (*trace.Trace, error)) (*trace.Trace, error) {
	t, err := open(file)
	if err != nil {
		return nil, err
	}
	if err := symbol.Resolve(t); err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
	}
	return t, nil
}

// Unended says that ranks of a job have not come to the end of their program.
func Unended(ranks []int, of int) string {
	return fmt.Sprintf("the job failed or was ended: %d of %d ranks did not reach Finalize, such as rank %d",
		len(ranks), of, ranks[0])
}

func printTrace(w io.Writer, s *trace.Summary) error {
	m := &s.Meta
	fmt.Fprintf(w, "%s, recorded %s: %d ranks on %d CPUs, %s\n", strings.Join(m.Command, " "),
		m.Started.Format(time.RFC3339), m.Ranks, m.CPUs, m.BTL)
	if m.ClockErrorNS != nil {
		fmt.Fprintf(w, "nodes %s; their clocks are aligned within %s\n", strings.Join(m.Hosts, ", "),
			spell(slices.Max(m.ClockErrorNS)))
	}
	fmt.Fprintf(w, "%d events in %s, %d lost\n", s.Events, spell(s.Duration), s.Lost)
	if s.Cut != "" {
		fmt.Fprintf(w, "incomplete: %s; this is what comes before\n", s.Cut)
	}
	if s.Unended != nil {
		fmt.Fprintln(w, Unended(s.Unended, m.Ranks))
	}
	t := cli.NewTable(w)
	fmt.Fprintln(t, "\nrank\tevents\tnodes\tlost\ttime\tin calls\tcomputed\tstalled\tmessages\tbytes\t")
	for _, r := range s.Ranks {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t\n", r.Rank, r.Events, r.Nodes, r.Lost,
			spell(r.Time), spell(r.Calls), spell(r.Computed), spell(r.Stalled), r.Sent, r.Bytes)
	}
	fmt.Fprintln(t, "\ncall\tcalls\tbytes\ttime\tmean\tlongest\t")
	for _, c := range s.Calls {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t\n", c.Kind, c.Calls, c.Bytes, spell(c.Time),
			spell(c.Time/int64(c.Calls)), spell(c.Most))
	}
	return t.Flush()
}

func spell(ns int64) string { return show.Time(float64(ns)) }

func executeTraceList(args []string) error {
	f := struct {
		Rank int `long:"rank" least:"0" env:"PVASRUN_RANK" default:"-1" default-mask:"all" value-name:"R" description:"of this rank only"`
	}{}
	t, err := openTrace("list", &f, args)
	if err != nil {
		return err
	}
	if f.Rank >= len(t.Ranks) {
		return cli.Mistake(fmt.Errorf("trace list: --rank %d: the trace has ranks 0 to %d", f.Rank, len(t.Ranks)-1))
	}
	for rank := range t.Ranks {
		if f.Rank >= 0 && f.Rank != rank {
			continue
		}
		if err := listRank(os.Stdout, t, rank); err != nil {
			return err
		}
	}
	return t.Cut
}

func listRank(w io.Writer, t *trace.Trace, rank int) error {
	r := &t.Ranks[rank]
	for _, list := range [][]trace.Event{r.Events, r.Nodes} {
		for i := range list {
			e := &list[i]
			if _, err := fmt.Fprintf(w, "%d %.9f %.9f %s\n", rank, float64(e.Start)/1e9, float64(e.End)/1e9,
				r.Describe(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

func executeTracePerfetto(args []string) error {
	var f struct {
		Output string `short:"o" long:"output" env:"PVASRUN_TRACE_OUTPUT" value-name:"FILE" description:"file to write"`
	}
	file, err := oneTrace("perfetto", &f, args)
	if err != nil {
		return err
	}
	if f.Output == "" {
		return cli.Mistake(errors.New("trace perfetto: -o FILE is missing: say where to write"))
	}
	if err := cli.Apart([]cli.Named{{By: "-o", File: f.Output}}, cli.Named{By: "the trace", File: file}); err != nil {
		return cli.Mistake(fmt.Errorf("trace perfetto: %w", err))
	}
	if err := cli.Writable(f.Output, cli.Perfetto); err != nil {
		return cli.Mistake(fmt.Errorf("trace perfetto: %w", err))
	}
	t, err := OpenNamed(file, trace.Open)
	if err != nil {
		return cli.InputMistake(err)
	}
	err = cli.WriteNamed(f.Output, "", 0, func(out io.Writer) error { return perfetto.Write(out, t) })
	if err != nil {
		return fmt.Errorf("trace perfetto: %w", err)
	}
	if t.Cut != nil {
		return fmt.Errorf("trace perfetto: %s: %w; %s has what comes before", file, t.Cut, f.Output)
	}
	return nil
}
