package capi

import "sync/atomic"

// The tool information interface, MPI 5.0 chapter 15: control variables (tool_control.go) tell
// how the job was set up, performance variables (tool_performance.go) what messages have cost.
// There are no events, sources and enumerations. Errors are only returned: no handler is called.

// tool is what the program has of the interface.
type tool struct {
	users    atomic.Int32 // MPI_T_init_thread, less MPI_T_finalize
	controls table[control]
	sessions table[toolSession]
	counters table[counter]
}

// toolCategory is a part of the variables.
type toolCategory struct {
	name, desc      string
	controls, perfs bool // has all of these
}

var toolCategories = []toolCategory{
	{"job", "how pvasrun has set up the job", true, false},
	{"messages", "what the messages of this rank have cost", false, true},
}

// cvars and pvars are how many variables the category has.
func (c *toolCategory) cvars() int { return countIf(c.controls, len(controls)) }
func (c *toolCategory) pvars() int { return countIf(c.perfs, len(performance)) }

func countIf(all bool, n int) int {
	if all {
		return n
	}
	return 0
}

// entryOf returns entry i of a list.
func entryOf[T any](list []T, i int) (*T, error) {
	if i < 0 || i >= len(list) {
		return nil, fail(T_ERR_INVALID_INDEX, "index %d is outside of 0..%d", i, len(list)-1)
	}
	return &list[i], nil
}

// indexOf finds the entry for which is holds.
func indexOf[T any](list []T, name CString, out Ref, is func(*T, string) bool) error {
	for i := range list {
		if is(&list[i], name.String()) {
			out.Set(i)
			return nil
		}
	}
	return fail(T_ERR_INVALID_NAME, "nothing has the name %q", name.String())
}

// tell writes an integer where the program wants it.
func (r Ref) tell(v int) {
	if !r.Nil() {
		r.Set(v)
	}
}

// noEvent is the error of what would be the handle of an event.
func noEvent(handle uintptr) error {
	return fail(T_ERR_INVALID_HANDLE, "%#x is no event: there are none", handle)
}

// tellType writes a datatype where the program wants it, and that its values are not enumerated.
func tellType(to Ptr[Type], v Type, enum WidePtr[T_enum]) {
	if !to.Nil() {
		to.Set(v)
	}
	if !enum.Nil() {
		enum.Set(T_ENUM_NULL)
	}
}

// tell writes as much of a text as length has room for, and to length what the whole text
// takes.
func (s OutString) tell(length Ref, text string) {
	if length.Nil() {
		return
	}
	if !s.Nil() {
		s.Set(text, length.Get())
	}
	length.Set(len(text) + 1)
}

// tellIndices writes the first indices below n.
func tellIndices(n, room int, out Ints) {
	for i := range min(n, room) {
		out.Set(i, i)
	}
}

// T_init_thread is MPI_T_init_thread. All levels are granted.
func (p *Process) T_init_thread(required int, provided Ref) error {
	provided.Set(min(max(required, THREAD_SINGLE), THREAD_MULTIPLE))
	p.tool.users.Add(1)
	return nil
}

// T_category_get_info is MPI_T_category_get_info.
func (p *Process) T_category_get_info(i int, name OutString, nameLen Ref, desc OutString,
	descLen, cvars, pvars, categories Ref) error {
	c, err := entryOf(toolCategories, i)
	if err != nil {
		return err
	}
	name.tell(nameLen, c.name)
	desc.tell(descLen, c.desc)
	cvars.tell(c.cvars())
	pvars.tell(c.pvars())
	categories.tell(0)
	return nil
}

// T_category_get_index is MPI_T_category_get_index.
func (p *Process) T_category_get_index(name CString, i Ref) error {
	return indexOf(toolCategories, name, i, func(c *toolCategory, name string) bool { return c.name == name })
}

// T_category_get_num_events is MPI_T_category_get_num_events.
func (p *Process) T_category_get_num_events(i int, n Ref) error {
	n.Set(0)
	_, err := entryOf(toolCategories, i)
	return err
}
