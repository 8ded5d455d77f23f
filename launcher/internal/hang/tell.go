package hang

import (
	"time"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/launcher/internal/output"
)

// Header is what the report of the ranks begins with, which QUIT asks for.
const Header = "what the ranks do:\n"

// Tell says the report of the ranks, and has it written to a file; "" is none.
func Tell(views []job.View, who []Rank, proof *job.Proof, file string,
	say func(string, ...any), messages *output.Queue) {
	now := time.Duration(sys.Monotonic())
	say(Header+"%s", hangReport(views, who, now, proof))
	messages.Put(func() {
		if err := writeHang(file, views, who, now, proof); err != nil {
			say("%v", err)
		}
	})
}
