package model

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/loggps/waits"
	"github.com/gopvas/gopvas/loggps/show"
	"github.com/gopvas/gopvas/loggps/sim"
)

func executeModelShow(args []string) error {
	var f struct {
		SimFlags
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
	if err == nil && len(files) == 1 {
		f.Output, err = f.page(f.Output, files[0])
	}
	if err != nil {
		return cli.Mistake(fmt.Errorf("model show: %w", err))
	}
	p, err := oneProgram("model show", files, &opt.Machine)
	if err != nil {
		return err
	}
	if err := f.prepare(&opt, p); err != nil {
		return err
	}
	watch := waits.Watch{}
	if p.measured == nil || f.whatIf() {
		opt.Watch = watch.Piece
	}
	predicted, err := show.Predict(p.Graph, opt)
	if err != nil {
		return modelMistake(err)
	}
	p.tellSizes(predicted.Result)
	var run *waits.Run
	if opt.Watch != nil {
		run = watch.Predicted(predicted.Result, p.sites(), p.number)
	}
	opt.Watch = nil
	tables, err := predicted.Explain(p.Graph, opt, p.mostLimit())
	if err != nil {
		return err
	}
	page := pageOf(p, predicted, opt, f.whatIf(), f.Output != "-")
	page.Facts = append(page.Facts, p.advise(predicted, opt)...)
	if err := p.explain(page, run, opt); err != nil {
		return err
	}
	page.Tables = append(page.Tables, tables...)
	if err := printPage(os.Stdout, page); err != nil {
		return err
	}
	return writePage(page, f.Output)
}

// page returns the name of the page of a program: output, or if that is empty one beside the program. It
// is an error if the page would replace what the command reads, or can not be written.
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

// writePage writes the page where it is wanted.
func writePage(page *show.Page, output string) error {
	if output == "-" {
		return nil
	}
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
