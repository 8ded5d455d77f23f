package chaos

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// A Table counts outcomes by harm and task model.
type Table struct {
	rows map[row]map[Fault]int
}

// row is a line of a table; jobs are counted under the Fault "".
type row struct {
	btl  string
	harm Harm
}

// Add counts an outcome.
func (t *Table) Add(o *Outcome) {
	if t.rows == nil {
		t.rows = map[row]map[Fault]int{}
	}
	r := row{o.BTL, o.Harm}
	if t.rows[r] == nil {
		t.rows[r] = map[Fault]int{}
	}
	t.rows[r][""]++
	for _, f := range o.Faults() {
		t.rows[r][f]++
	}
}

// Write prints the table, with the sums below.
func (t *Table) Write(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "btl\tharm\tjobs\t")
	for _, f := range faults {
		fmt.Fprintf(w, "%s\t", f)
	}
	sums := map[Fault]int{}
	line := func(btl, harm string, counts map[Fault]int) {
		fmt.Fprintf(w, "\n%s\t%s\t%d\t", btl, harm, counts[""])
		for _, f := range faults {
			fmt.Fprintf(w, "%d\t", counts[f])
		}
	}
	for _, btl := range []string{"pvas", "sm"} {
		for h := range harms {
			counts := t.rows[row{btl, h}]
			if counts == nil {
				continue
			}
			line(btl, h.String(), counts)
			for f, n := range counts {
				sums[f] += n
			}
		}
	}
	line("", "all", sums)
	fmt.Fprintln(w)
	return w.Flush()
}
