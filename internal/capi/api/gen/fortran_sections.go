package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// Buffers that are sections of arrays. A buffer comes to mpi_f08 by a descriptor. If the section is not contiguous,
// fortran_sections.c makes a copy of it for the time of the call, or a datatype if the buffer is used beyond the call.

// chooses tells whether a function has buffers in mpi_f08.
func chooses(f api.Function) bool {
	return slices.ContainsFunc(f.Args, func(a api.Arg) bool { return choice(a) && !detached(a) })
}

// kept tells whether a function has buffers that are used beyond its call, or are asked for their address.
func kept(f api.Function) bool {
	if !chooses(f) {
		return false
	}
	for _, part := range []string{"_begin", "_end", "ttach", "Get_address"} {
		if strings.Contains(f.Name, part) {
			return true
		}
	}
	return f.Chapter == "One-sided communication" || slices.ContainsFunc(f.Args, func(a api.Arg) bool {
		return a.Base == "Request" && a.Shape == api.Pointer
	})
}

// described tells whether the two arguments behind a buffer say all that lies in it. In collective
// operations they may say what one member has of it.
func described(f api.Function, buffer int) bool {
	args := fortranArgs(f)
	if collective(f) && f.Method != "Ibcast" && f.Method != "Bcast_init" {
		return false
	}
	return buffer+2 < len(args) && args[buffer+2].Base == "Datatype" && args[buffer+2].Shape == api.Value &&
		strings.HasSuffix(args[buffer+1].Name, "count")
}

// sections makes the buffers of a stub descriptors, which are those of BIND(C) or gfortran's own. What it returns
// stands before the call: the error of one of them comes instead of it.
func (s *stub) sections(f api.Function) (wrong string) {
	args := fortranArgs(f)
	kind, handle := s.object(args)
	for i, a := range args {
		if !choice(a) {
			continue
		}
		if s.params[i] = "struct descriptor *" + a.Name; f.Name == "Get_address" {
			s.args[i] = "f_address(" + a.Name + "->base)"
			continue
		}
		n, made, after := "s_"+a.Name, "f_whole("+a.Name+")", "f_section_free(&s_"+a.Name+");"
		switch {
		case !kept(f):
			made, after = "f_copy("+a.Name+")", fmt.Sprintf("f_copy_free(&s_%s, %[1]s, %t);", a.Name, !a.Const)
		case described(f, i):
			made = "f_section(" + a.Name + ", " + s.args[i+1] + ", " + s.args[i+2] + ")"
			s.args[i+1], s.args[i+2] = n+".count", n+".type"
		}
		s.args[i] = n + ".address"
		s.before = append(s.before, "struct section "+n+" = "+made+";")
		s.after = append(s.after, after)
		wrong += fmt.Sprintf("f_wrong(%s, \"MPI_%s\", %s, %s) ?: ", n, f.Name, kind, handle)
	}
	return wrong
}

// object is the kind and the handle of the object whose error handler gets the errors of a call.
func (s *stub) object(args []api.Arg) (kind, handle string) {
	for i, a := range args {
		if objects[a.Base] != "" && a.Shape == api.Value {
			return a.Base, s.args[i]
		}
	}
	return "Comm", "MPI_COMM_SELF"
}
