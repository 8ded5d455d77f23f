package launcher

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/gopvas/gopvas/internal/atomicfile"
	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/trace/symbol"
)

// hangJSON is the report of what the ranks do, for programs.
type hangJSON struct {
	Ranks    []rankJSON    `json:"ranks"`
	Deadlock *deadlockJSON `json:"deadlock,omitempty"` // if one is proved
}

type rankJSON struct {
	Rank    int       `json:"rank"`
	Node    string    `json:"node,omitempty"`
	Pid     int       `json:"pid,omitempty"`
	State   string    `json:"state"` // not started, not initialized, running, waiting, finalized, ended
	Stopped bool      `json:"stopped,omitempty"`
	Wait    *waitJSON `json:"wait,omitempty"`
	Text    string    `json:"text"` // as it is printed
}

type waitJSON struct {
	Call         string  `json:"call"`
	Function     string  `json:"function,omitempty"` // of the program, in which the call is
	File         string  `json:"file,omitempty"`
	Line         int     `json:"line,omitempty"`
	Seconds      float64 `json:"seconds"`
	Communicator string  `json:"communicator,omitempty"` // its name
	Context      uint32  `json:"context"`
	Tag          *int32  `json:"tag,omitempty"`   // none: any
	Bytes        *uint64 `json:"bytes,omitempty"` // of messages
	For          []int   `json:"for"`             // ranks
	More         int     `json:"more,omitempty"`  // that are not in the list
	Any          bool    `json:"any,omitempty"`   // one of them is enough
}

type deadlockJSON struct {
	Ranks []int `json:"ranks"`
	Cycle []int `json:"cycle,omitempty"`
	All   bool  `json:"all"` // all ranks that have not ended are among them
}

// writeHang replaces the file by the report. "" is no file.
func writeHang(file string, views []job.View, who []started, now time.Duration, proof *job.Proof) error {
	if file == "" {
		return nil
	}
	var h hangJSON
	for i := range views {
		h.Ranks = append(h.Ranks, rankReport(&views[i], who[i], now))
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

func rankReport(v *job.View, who started, now time.Duration) rankJSON {
	r := rankJSON{Rank: v.Rank, Node: who.node, Pid: who.pid, Stopped: who.stopped, Text: describeView(*v, who, now)}
	switch {
	case v.Gone:
		r.State = "ended"
	case who.pid == 0:
		r.State = "not started"
	case v.Waits:
		r.State, r.Wait = "waiting", waitReport(v, who.place, now)
	case v.State == job.StateNone:
		r.State = "not initialized"
	case v.State == job.StateFinal:
		r.State = "finalized"
	default:
		r.State = "running"
	}
	return r
}

func waitReport(v *job.View, place symbol.Place, now time.Duration) *waitJSON {
	w := &v.Waiting
	j := &waitJSON{Call: callOf(*v, w.Op.String()), Seconds: waited(*v, now).Seconds(), Context: w.Context, For: v.For, More: v.Unnamed, Any: v.Any}
	j.Function, j.File, j.Line = place.Function, place.File, place.Line
	if w.Op == job.OpCollective {
		j.Call, j.Communicator = callOf(*v, w.Collective.Name), w.Collective.Communicator
		return j
	}
	j.Bytes = &w.Bytes
	if w.Tag >= 0 {
		j.Tag = &w.Tag
	}
	return j
}
