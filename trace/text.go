package trace

import (
	"fmt"
	"strings"
)

var flagNames = []struct {
	flag Flags
	name string
}{
	{AnySource, "any-source"}, {AnyTag, "any-tag"}, {Synchronous, "synchronous"}, {Persistent, "persistent"},
	{Inside, "inside"}, {Queued, "queued"}, {Failed, "failed"},
	{Estimated, "estimated"},
}

// String returns the names of the flags and of the protocol.
func (f Flags) String() string {
	var names []string
	if p := f.Protocol(); p != Unknown {
		names = append(names, p.String())
	}
	for _, n := range flagNames {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " ")
}

// Describe returns an event as text, without its times.
func (r *Rank) Describe(e *Event) string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	say := func(name string, value any) { fmt.Fprintf(&b, " %s %v", name, value) }
	if e.Peer != Any {
		say("peer", e.Peer)
	}
	for _, n := range []struct {
		name  string
		value uint64
	}{
		{"bytes", e.Bytes}, {"message", uint64(e.Message)}, {"request", uint64(e.Request)},
		{"context", uint64(e.Context)},
	} {
		if n.value != 0 {
			say(n.name, n.value)
		}
	}
	if e.Tag != 0 {
		say("tag", e.Tag)
	}
	if n := e.Flags.Thread(); n > 0 {
		say("thread", n)
	}
	if text := e.Flags.String(); text != "" {
		b.WriteString(" " + text)
	}
	if int(e.Site) < len(r.Sites) && e.Site > 0 {
		say("at", r.Sites[e.Site])
	}
	return b.String()
}
