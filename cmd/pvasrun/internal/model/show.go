package model

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/loggps/waits"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

func executeModelShow(args []string) error {
	var f struct {
		SimFlags
		PartFlags
		Output string `short:"o" long:"output" env:"PVASRUN_MODEL_PAGE" value-name:"FILE.html" default-mask:"that of the program, with the ending .html" description:"page to write; - for none"`
	}
	files, err := cli.ParseMixed("pvasrun model show", "[flags] FILE", &f, args)
	if err != nil {
		return err
	}
	if err := programsThere("model show", files); err != nil {
		return err
	}
	opt, err := f.Options()
	part, wrong := f.part()
	output := f.Output
	switch {
	case err != nil:
	case wrong != nil:
		err = wrong
	case len(files) != 1:
		err = errors.New("name one trace or GOAL file")
	default:
		output, err = f.page(f.Output, files[0])
	}
	if err != nil {
		return cli.Mistake(fmt.Errorf("model show: %w", err))
	}
	p, err := openProgram(files[0])
	if err != nil {
		return modelMistake(err)
	}
	if err := p.take(part); err != nil {
		return cli.Mistake(fmt.Errorf("model show: %w", err))
	}
	drawn := p.measure(&opt, drawnPieces(f.Output))
	collect(garbage) // what is measured goes before the graph comes
	if err := p.build(&opt.Machine); err != nil {
		return modelMistake(err)
	}
	collect(simulatedGarbage) // and the trace before a simulation
	if err := f.Prepare(&opt, p); err != nil {
		return err
	}
	page, err := p.shown(opt, f.whatIf(), drawn)
	if err != nil {
		return err
	}
	if err := printPage(os.Stdout, page); err != nil {
		return err
	}
	switch {
	case drawn:
		return writePage(page, output)
	case output != "-":
		fmt.Printf("no page: it would have more than %d pieces: give -o FILE to have it nevertheless\n", mostDrawn)
	}
	return nil
}

// mostDrawn is how many pieces a page has that is not asked for.
const mostDrawn = 2_000_000

// drawnPieces is how many pieces a page has at most, by the file that is given; -1: there is no page.
func drawnPieces(output string) int {
	switch output {
	case "":
		return mostDrawn
	case "-":
		return -1
	}
	return math.MaxInt
}

// measure says what a trace has measured and why time was lost. It returns whether the page of a program has no more
// than most pieces. If it has more, none of what is as large as the trace is kept.
func (p *Program) measure(opt *sim.Options, most int) (drawn bool) {
	if p.trace == nil {
		return p.Graph.Len() <= most
	}
	m := measuredOf(p.trace)
	collect(simulatedGarbage) // of measuredOf, before Analyze makes its own
	m.ranks = p.ranks
	on := opt.Machine
	on.Nodes = p.nodes
	m.report = waits.Analyze(m.run, costOn(&on))
	pieces := 0
	for _, lane := range m.run.Ranks {
		pieces += 2 * len(lane) // with the computations before them
	}
	p.measured, drawn = m, pieces <= most
	if drawn {
		m.messages = tracedMessages(p.trace)
	} else {
		m.run.Ranks = nil
	}
	return drawn
}

// shown is the page of a program.
func (p *Program) shown(opt sim.Options, whatIf, drawn bool) (*show.Page, error) {
	watch := waits.Watch{}
	if p.measured == nil || whatIf {
		opt.Watch = watch.Piece
	}
	predicted, err := show.Predict(p.Graph, opt, drawn)
	if err != nil {
		return nil, modelMistake(err)
	}
	p.tellSizes(predicted.Result)
	var run *waits.Run
	if opt.Watch != nil {
		run = watch.Predicted(predicted.Result, p.sites(), p.number)
	}
	opt.Watch = nil
	tables, err := predicted.Explain(p.Graph, opt, p.mostLimit())
	if err != nil {
		return nil, err
	}
	page := pageOf(p, predicted, opt, whatIf, drawn)
	page.Facts = append(page.Facts, p.advise(predicted, opt)...)
	predicted.Result = nil // which is large, and another one follows
	collect(simulatedGarbage)
	if err := p.explain(page, run, opt); err != nil {
		return nil, err
	}
	page.Tables = append(page.Tables, tables...)
	return page, nil
}

// page returns the name of the page of a program: output, or if that is empty one beside the program. It
// is an error if the page would replace what the command reads, or cannot be written.
func (f *SimFlags) page(output, program string) (string, error) {
	if output == "-" {
		return output, nil
	}
	by := "-o"
	if output == "" {
		plain := strings.TrimSuffix(program, ".gz")
		by, output = "the page", strings.TrimSuffix(plain, filepath.Ext(plain))+".html"
	}
	err := cli.Apart([]cli.Named{{By: by, File: output}}, cli.Named{By: "the program", File: program},
		cli.Named{By: "the parameters of --machine", File: f.Machine},
		cli.Named{By: "the parameters of --param", File: f.Param})
	if err == nil {
		err = cli.Writable(output, cli.Page)
	}
	if err != nil && by != "-o" {
		err = fmt.Errorf("%w; -o names a page", err)
	}
	return output, err
}

// pageOf is the page of a prediction, below what was measured if that is known. It has timelines if it is drawn.
func pageOf(p *Program, predicted *show.Prediction, opt sim.Options, whatIf, drawn bool) *show.Page {
	fact := fmt.Sprintf("predicted: %s, on %s", show.Time(predicted.Result.Time()), opt.Machine.Links[0].Name)
	if opt.Share != nil {
		fact += fmt.Sprintf("; %d ranks share %d CPUs in turns, so no critical path is known (--cpus %[1]d: one each)",
			p.Graph.Ranks(), opt.Share.CPUs)
	}
	page := &show.Page{Title: filepath.Base(p.file), Facts: []string{fact}, Calls: show.Calls, Sites: p.sites()}
	if m := p.measured; m != nil {
		compared := m.compare(predicted.Result, whatIf)
		page.Facts = append(
			[]string{fmt.Sprintf("measured: %s; %s of the prediction %s", compared.Rows[0][1], compared.Columns[3],
				compared.Rows[0][3])}, page.Facts...)
		if p.part != "" {
			page.Facts = append([]string{p.part}, page.Facts...)
		}
		page.Tables = append(page.Tables, compared)
		if drawn {
			page.Timelines = append(page.Timelines, page.Adopt(m.drawn(), m.calls, m.run.Places))
		}
	}
	if drawn {
		page.Timelines = append(page.Timelines, predicted.Timeline)
	}
	return page
}

// writePage writes the page.
func writePage(page *show.Page, output string) error {
	if err := cli.WriteNamed(output, "", 0, page.Write); err != nil {
		return fmt.Errorf("model show: %w", err)
	}
	fmt.Println("see", output)
	return nil
}

// printPage prints the facts and the tables of a page.
func printPage(w io.Writer, page *show.Page) error {
	for _, fact := range page.Facts {
		fmt.Fprintln(w, fact)
	}
	for _, t := range page.Tables {
		fmt.Fprintf(w, "\n%s\n", t.Title)
		if err := printTable(w, t); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func printTable(w io.Writer, t show.Table) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		fmt.Fprintln(out, "  "+strings.Join(row, "\t"))
	}
	return out.Flush()
}
