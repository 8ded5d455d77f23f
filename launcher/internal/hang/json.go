package hang

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gopvas/gopvas/internal/node/atomicfile"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/symbol"
)

// hangJSON is the report of what the ranks do, for programs.
type hangJSON struct {
	Ranks    []rankJSON    `json:"ranks"`
	Deadlock *deadlockJSON `json:"deadlock,omitempty"` // if one is proved
	Notes    []string      `json:"notes,omitempty"`    // the lines that are printed behind those of the ranks
}

type rankJSON struct {
	Rank    int       `json:"rank"`
	Node    string    `json:"node,omitempty"`
	Pid     int       `json:"pid,omitempty"`
	State   string    `json:"state"` // see describeState
	Stopped bool      `json:"stopped,omitempty"`
	Wait    *waitJSON `json:"wait,omitempty"`
	Polls   *pollJSON `json:"polls,omitempty"` // of a rank that runs
	Text    string    `json:"text"`            // as it is printed
}

// callJSON is a call and its place.
type callJSON struct {
	Call     string `json:"call"`
	Function string `json:"function,omitempty"` // of the program, in which the call is
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// pollJSON is what a rank that polls says of itself.
type pollJSON struct {
	callJSON
	For    operationJSON   `json:"for"`            // what it has asked for last
	Others []operationJSON `json:"others"`         // operations that are open beside it
	More   int             `json:"more,omitempty"` // that are not in the list
}

type operationJSON struct {
	Kind  string `json:"kind"`           // send, recv, probe, collective; wait: another operation, not of one message
	Name  string `json:"name,omitempty"` // of a collective operation, with its communicator
	Rank  *int32 `json:"rank,omitempty"` // none: any
	Tag   *int32 `json:"tag,omitempty"`  // likewise
	Bytes uint64 `json:"bytes"`
}

type waitJSON struct {
	callJSON
	Seconds      float64 `json:"seconds"`
	Communicator string  `json:"communicator,omitempty"` // its name, or that of the window
	Context      uint32  `json:"context"`
	Tag          *int32  `json:"tag,omitempty"`     // none: any
	Bytes        *uint64 `json:"bytes,omitempty"`   // of messages
	For          []int   `json:"for"`               // ranks
	More         int     `json:"more,omitempty"`    // that are not in the list
	Any          bool    `json:"any,omitempty"`     // one of them is enough
	Refused      string  `json:"refused,omitempty"` // call and cause of the last call that the rank was refused before
}

type deadlockJSON struct {
	Ranks []int `json:"ranks"`
	Cycle []int `json:"cycle,omitempty"`
	All   bool  `json:"all"` // all ranks that have not ended are among them
}

// writeHang replaces the file by the report. "" is no file.
func writeHang(file string, views []job.View, who []Rank, now time.Duration, proof *job.Proof) error {
	if file == "" {
		return nil
	}
	var h hangJSON
	for i := range views {
		h.Ranks = append(h.Ranks, rankReport(&views[i], who[i], now))
	}
	for line := range strings.Lines(notes(views, who, now, proof)) {
		h.Notes = append(h.Notes, strings.TrimSpace(line))
	}
	if proof != nil {
		h.Deadlock = &deadlockJSON{proof.Ranks, proof.Cycle, proof.All}
	}
	err := atomicfile.Write(file, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(h)
	})
	if err != nil {
		return fmt.Errorf("report of the ranks: %w", err)
	}
	return nil
}

func rankReport(v *job.View, who Rank, now time.Duration) rankJSON {
	r := rankJSON{Rank: v.Rank, Node: who.Node, Pid: who.Pid, Stopped: who.Stopped}
	r.State, r.Text = describeView(v, who, now)
	switch {
	case r.State == waiting:
		r.Wait = waitReport(v, who.Place, now)
	case r.State == running && v.Polls.Op != job.OpNone:
		r.Polls = pollReport(&v.Polls, who.Place)
	}
	return r
}

func callReport(call string, place symbol.Place) callJSON {
	return callJSON{call, place.Function, place.File, place.Line}
}

func pollReport(p *job.Polls, place symbol.Place) *pollJSON {
	j := &pollJSON{
		callJSON: callReport(p.Call, place), For: operationReport(p.Operation), Others: []operationJSON{},
		More: p.Open - len(p.Others),
	}
	for _, o := range p.Others {
		j.Others = append(j.Others, operationReport(o))
	}
	return j
}

func operationReport(o job.Operation) operationJSON {
	j := operationJSON{Kind: o.Op.String(), Name: o.Name, Bytes: o.Bytes}
	if o.Peer != job.AnyPeer {
		j.Rank = &o.Peer
	}
	if o.Tag >= 0 {
		j.Tag = &o.Tag
	}
	return j
}

func waitReport(v *job.View, place symbol.Place, now time.Duration) *waitJSON {
	w := &v.Waiting
	j := &waitJSON{
		callJSON: callReport(callOf(*v, w.Op.String()), place),
		Seconds:  waited(*v, now).Seconds(), Context: w.Context, For: v.For, More: v.Unnamed, Any: v.Any,
		Refused: w.Refused,
	}
	if w.Op == job.OpCollective {
		j.Call = callOf(*v, w.Collective.Name)
		_, j.Communicator = w.Collective.On()
		return j
	}
	j.Bytes = &w.Bytes
	if w.Tag >= 0 {
		j.Tag = &w.Tag
	}
	return j
}
