package trace

// Any stands for no rank.
const Any = -1

// Event is one event of a rank. Which fields mean something depends on the kind.
type Event struct {
	Start, End int64  // ns since the job's memory was made
	Bytes      uint64 // of the buffer of a call; of the message, if one is named
	Message    uint32 // its number among those from its sender to its receiver, from 1 on; 0: none
	Request    uint32 // number of a request of the rank, from 1 on; 0: none
	Context    uint32 // of the communicator and what it is used for: see Rank.Contexts
	Tag        int32
	Peer       int32  // rank of the job, or Any
	Site       uint16 // where the call stands: index in Rank.Sites; 0: unknown
	Flags      Flags
	Kind       Kind
}

// Protocol returns the way of the event's message.
func (e *Event) Protocol() Protocol { return e.Flags.Protocol() }

// Duration returns the length in ns.
func (e *Event) Duration() int64 { return e.End - e.Start }

// OverlapEnd returns the time from which on another call of the rank does not overlap this one. The end of an estimated
// receive may be too late. But it has held the lock of the rank's messages, so no other call has begun before it had
// ended.
func (e *Event) OverlapEnd() int64 {
	if e.Kind == Recv && e.Flags&Estimated != 0 {
		return e.Start
	}
	return e.End
}

// Message names a message of a job.
type Message struct {
	From, To int32
	Number   uint32
}

// Sends and Receives tell which end of which message an event of a rank is.
func (e *Event) Sends(rank int) (Message, bool) {
	return Message{int32(rank), e.Peer, e.Message}, e.Message != 0 && (e.Kind == Send || e.Kind == Sent)
}

func (e *Event) Receives(rank int) (Message, bool) {
	return Message{e.Peer, int32(rank), e.Message}, e.Message != 0 && (e.Kind == Recv || e.Kind == Received)
}

// decoder turns the records of a lane into events, in order.
type decoder struct {
	rank     *Rank
	events   *[]Event  // of the lane
	contexts []Context // what their numbers mean

	high Raw    // the wide record before; Kind None: none
	text []byte // of the name that is being read
	left int    // bytes of it that are missing
	head Raw    // its record
	seen uint64 // records
}

// event turns a record into what it says. It returns false if that is no event.
func (d *decoder) event(b []byte, raw *Raw) bool {
	if d.left > 0 {
		d.more(b)
		return false
	}
	raw.unpack(b)
	switch raw.Kind {
	case wide:
		d.high = *raw
		return false
	case named:
		d.head, d.left, d.text = *raw, int(min(raw.Bytes, maxText)), nil
		if d.left == 0 {
			d.name()
		}
		return false
	}
	return true
}

func (d *decoder) more(b []byte) {
	n := min(d.left, len(b))
	d.text = append(d.text, b[:n]...)
	if d.left -= n; d.left == 0 {
		d.name()
	}
}

// name takes note of a name that is complete.
func (d *decoder) name() {
	number := int(uint16(d.head.Number))
	switch d.head.Flags {
	case tableContext:
		d.contexts = give(d.contexts, number, Context{Context: uint32(d.head.Tag), Name: string(d.text)})
		if d.events == &d.rank.Events {
			d.rank.Contexts = d.contexts
		}
	case tableSite:
		d.rank.Sites = give(d.rank.Sites, number, string(d.text))
	case tableCode:
		d.code(number)
	}
}

// code takes note of a place in a program that is not written in Go.
func (d *decoder) code(number int) {
	c, ok := parseCode(string(d.text))
	if !ok {
		return
	}
	d.rank.Sites = give(d.rank.Sites, number, c.String())
	if d.rank.Code == nil {
		d.rank.Code = map[int]Code{}
	}
	d.rank.Code[number] = c
}

// give sets element n of a table. Numbers are given one after the other, from 1 on.
func give[T any](table []T, n int, v T) []T {
	if len(table) == 0 {
		table = make([]T, 1)
	}
	switch {
	case n == len(table):
		table = append(table, v)
	case n < len(table):
		table[n] = v
	}
	return table
}

// all adds the events of records.
func (d *decoder) all(records []byte) {
	for ; len(records) > 0; records = records[RecordSize:] {
		d.add(records[:RecordSize])
	}
}

// add appends the event of a record to those of the rank. Times stay ticks. What is large is filled in where it stays.
func (d *decoder) add(b []byte) {
	var raw Raw
	if !d.event(b, &raw) {
		return
	}
	*d.events = append(*d.events, Event{})
	e := &(*d.events)[len(*d.events)-1]
	e.Start, e.Bytes, e.Tag = int64(raw.Ticks), uint64(raw.Bytes)|uint64(d.high.Bytes)<<32, raw.Tag
	e.Peer, e.Site, e.Flags, e.Kind = int32(raw.Peer), raw.Site, raw.Flags, raw.Kind
	if int(raw.Context) < len(d.contexts) {
		e.Context = d.contexts[raw.Context].Context
	}
	if raw.Flags&NoPeer != 0 {
		e.Peer = Any
	}
	took := uint64(raw.Took) | uint64(d.high.Took)<<32
	e.End = e.Start
	if raw.Kind.lasts() {
		e.End += int64(took)
	} else {
		e.Request = raw.Took
	}
	switch raw.Kind {
	case Send, Recv, Sent, Received, Node:
		e.Message = raw.Number
	default:
		e.Request = raw.Number
	}
	if raw.Kind == Lost {
		d.rank.Lost += e.Bytes
	}
	if d.high.Kind != None {
		d.high = Raw{}
	}
}
