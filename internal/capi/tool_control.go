package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// control is a control variable: a flag of pvasrun. None can be changed, since all ranks of a
// job have the same.
type control struct {
	name, desc string
	text       func(*comm.JobSettings) string // nil: it is a number
	number     func(*comm.JobSettings) int
}

var controls = []control{
	{"btl", "how ranks share memory (--btl)", func(s *comm.JobSettings) string { return s.BTL.String() }, nil},
	{"eager_limit", "bytes of the longest eager message (--eager-limit)", nil,
		func(s *comm.JobSettings) int { return s.EagerLimit }},
	{"ring_block", "bytes of a block of the pipeline between processes (--ring-block)", nil,
		func(s *comm.JobSettings) int { return s.RingBlock }},
	{"spin", "looks of a wait before it sleeps (--spin)", nil, func(s *comm.JobSettings) int { return s.Spin }},
	{"single_copy", "how processes copy long messages (--single-copy)",
		func(s *comm.JobSettings) string { return s.SingleCopy.String() }, nil},
	{"coll", "algorithms of collective operations that were chosen (--coll)",
		func(s *comm.JobSettings) string { return s.Coll }, nil},
	{"progress", "who progresses nonblocking collective operations (--progress)",
		func(s *comm.JobSettings) string { return s.Progress }, nil},
	{"helpers", "ranks with a thread for nonblocking collective operations (--helpers)", nil,
		func(s *comm.JobSettings) int { return s.Helpers }},
	{"check", "1 if ranks compare their collective calls (--check)", nil,
		func(s *comm.JobSettings) int { return countIf(s.Check, 1) }},
}

// textRoom is the length of any text, with its zero byte.
const textRoom = 1025

func (v *control) datatype() Type {
	if v.text != nil {
		return CHAR
	}
	return INT
}

// control returns the variable of a handle.
func (p *Process) control(h T_cvar_handle) (*control, error) {
	if v := p.tool.controls.get(uintptr(h)); v != nil {
		return v, nil
	}
	return nil, fail(T_ERR_INVALID_HANDLE, "%#x is no handle of a control variable", uintptr(h))
}

// T_cvar_get_info is MPI_T_cvar_get_info.
func (p *Process) T_cvar_get_info(i int, name OutString, nameLen, verbosity Ref, datatype Ptr[Type],
	enum WidePtr[T_enum], desc OutString, descLen, bind, scope Ref) error {
	v, err := entryOf(controls, i)
	if err != nil {
		return err
	}
	name.tell(nameLen, v.name)
	desc.tell(descLen, v.desc)
	verbosity.tell(T_VERBOSITY_USER_BASIC)
	tellType(datatype, v.datatype(), enum)
	bind.tell(T_BIND_NO_OBJECT)
	scope.tell(T_SCOPE_CONSTANT)
	return nil
}

// T_cvar_get_index is MPI_T_cvar_get_index.
func (p *Process) T_cvar_get_index(name CString, i Ref) error {
	return indexOf(controls, name, i, func(v *control, name string) bool { return v.name == name })
}

// T_cvar_handle_alloc is MPI_T_cvar_handle_alloc.
func (p *Process) T_cvar_handle_alloc(i int, object Address, h WidePtr[T_cvar_handle], count Ref) error {
	v, err := entryOf(controls, i)
	if err != nil {
		return err
	}
	h.Set(T_cvar_handle(p.tool.controls.add(v)))
	if count.Set(1); v.text != nil {
		count.Set(textRoom)
	}
	return nil
}

// T_cvar_handle_free is MPI_T_cvar_handle_free.
func (p *Process) T_cvar_handle_free(h WidePtr[T_cvar_handle]) error {
	if _, err := p.control(h.Get()); err != nil {
		return err
	}
	p.tool.controls.remove(uintptr(h.Get()))
	h.Set(T_CVAR_HANDLE_NULL)
	return nil
}

// T_cvar_read is MPI_T_cvar_read.
func (p *Process) T_cvar_read(v *control, at Address) error {
	settings, ok := comm.SettingsOfJob()
	switch {
	case !ok:
		return fail(T_ERR_NOT_ACCESSIBLE, "the job is not known before MPI_Init")
	case v.text != nil:
		OutString{uintptr(at)}.Set(v.text(&settings), textRoom)
	default:
		Ref{addr: uintptr(at)}.Set(v.number(&settings))
	}
	return nil
}
