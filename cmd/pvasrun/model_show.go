package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/gopvas/gopvas/loggps/show"
)

const modelShowDescription = `Explains where the time of a program goes: simulates it, prints what its time is made of, what ranks wait for and what another eager limit would change, and writes a page with what each rank does over time. The page is one file, which needs no network.`

func executeModelShow(args []string) error {
	var f struct {
		simFlags
		Output string `short:"o" long:"output" env:"PVASRUN_MODEL_PAGE" value-name:"FILE.html" default-mask:"that of the program, with the ending .html" description:"page to write; - for none"`
	}
	files, err := parseMixed("pvasrun model show", "[flags] FILE", modelShowDescription, &f, args)
	if err != nil {
		return err
	}
	opt, err := f.options()
	if err != nil {
		return usageError{fmt.Errorf("model show: %w", err)}
	}
	p, err := oneProgram("model show", files)
	if err != nil {
		return err
	}
	f.share(&opt, p.graph)
	predicted, err := show.Predict(p.graph, opt)
	if err != nil {
		return modelMistake(err)
	}
	tables, err := predicted.Explain(p.graph, opt, p.place)
	if err != nil {
		return err
	}
	page := &show.Page{
		Title: filepath.Base(p.file), Facts: []string{fmt.Sprintf("predicted: %s, on %s", show.Time(predicted.Result.Time()), opt.Machine.Links[0].Name)},
		Timelines: []show.Timeline{predicted.Timeline}, Calls: show.Calls, Tables: tables,
	}
	page.Sites = p.sites()
	if err := printPage(os.Stdout, page); err != nil {
		return err
	}
	return writePage(page, p.file, f.Output)
}

// writePage writes the page beside the program, or where it is wanted.
func writePage(page *show.Page, program, output string) error {
	if output == "-" {
		return nil
	}
	if output == "" {
		output = strings.TrimSuffix(strings.TrimSuffix(program, ".gz"), filepath.Ext(strings.TrimSuffix(program, ".gz"))) + ".html"
	}
	if err := writeNamed(output, "", 0, page.Write); err != nil {
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
		out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		fmt.Fprintln(out, "  "+strings.Join(t.Columns, "\t"))
		for _, row := range t.Rows {
			fmt.Fprintln(out, "  "+strings.Join(row, "\t"))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
