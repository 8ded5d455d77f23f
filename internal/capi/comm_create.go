package capi

import (
	"errors"
	"os"
	"slices"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/mpi/fault"
)

// dup copies a communicator with its attributes. If it fails, for example
// since a callback refuses to copy an attribute, the handle is MPI_COMM_NULL.
func (p *Process) dup(on *communicator, out Ptr[Comm]) error {
	out.Set(COMM_NULL)
	copies, err := p.copyAll(uintptr(on.handle), &on.attributes)
	if err != nil {
		return err
	}
	n, err := on.c.Dup()
	if err != nil {
		p.forget(copies)
		return err
	}
	p.adoptCopy(n, on, copies, out)
	return nil
}

func (p *Process) adoptCopy(n *comm.Comm, from *communicator, copies attributes, out Ptr[Comm]) {
	made := p.adopt(n, from, out)
	made.attributes, made.weighted = copies, from.weighted
}

// A communicator follows no hints. In a job that survives it says which errors come of failures, whatever was asked
// for: those of operations that need the failed process, at the ranks where they need it.

// Comm_set_info is MPI_Comm_set_info.
func (p *Process) Comm_set_info(_ *communicator, _ *comm.Info) error { return nil }

// Comm_get_info is MPI_Comm_get_info.
func (p *Process) Comm_get_info(on *communicator, out Ptr[Info]) error {
	info := new(comm.Info)
	if job.Survives(comm.Root(on.c)) {
		info.Set("mpi_error_range", "local")
		info.Set("mpi_error_uniform", "local")
	}
	return p.newInfo(info, out)
}

// Comm_dup_with_info is MPI_Comm_dup_with_info.
func (p *Process) Comm_dup_with_info(on *communicator, _ *comm.Info, out Ptr[Comm]) error {
	return p.dup(on, out)
}

// Comm_idup_with_info is MPI_Comm_idup_with_info.
func (p *Process) Comm_idup_with_info(on *communicator, _ *comm.Info, out Ptr[Comm], req Ptr[Request]) error {
	return p.idup(on, out, req)
}

// idup is dup, nonblocking.
func (p *Process) idup(on *communicator, out Ptr[Comm], req Ptr[Request]) error {
	out.Set(COMM_NULL)
	copies, err := p.copyAll(uintptr(on.handle), &on.attributes)
	if err != nil {
		return err
	}
	n, r, err := on.c.Idup()
	if err != nil {
		p.forget(copies)
		return err
	}
	p.adoptCopy(n, on, copies, out)
	return p.begun(r, on.collectives, req)
}

// Comm_split is MPI_Comm_split.
func (p *Process) Comm_split(on *communicator, color, key int, out Ptr[Comm]) error {
	if color < 0 && color != UNDEFINED {
		return fail(ERR_ARG, "color %d is negative: pass 0 or more, or MPI_UNDEFINED", color)
	}
	if color == UNDEFINED {
		color = comm.Undefined
	}
	n, err := on.c.Split(color, key)
	return p.made(n, err, on, out)
}

// sharedMemory is the type of hardware that all ranks of a node share.
const sharedMemory = "mpi_shared_memory"

// parts are the types of hardware within a node that guided splits know besides, by their topology.Part. They have the
// names of Open MPI, which has a split type for each, from 1 on.
var parts = [...]string{"hwthread", "core", "l1cache", "l2cache", "l3cache", "socket", "numanode"}

// Split types that only Open MPI has, OMPI_COMM_TYPE_HWTHREAD to OMPI_COMM_TYPE_CLUSTER: those after the parts hold
// whole nodes.
const (
	ompiParts   = len(parts)
	ompiCluster = 11
)

// part returns which part of its node the rank is bound to, topology.Unknown if it is bound to several.
func part(kind int) int {
	cpus, err := sys.Affinity()
	if err != nil {
		return topology.Unknown
	}
	return topology.PartOf(os.DirFS("/"), topology.Part(kind), cpus)
}

// hardware is what MPI_Get_hw_resource_info says: the types of hardware of which the rank is bound to one.
func hardware() *comm.Info {
	info := new(comm.Info)
	info.Set(sharedMemory, "true")
	for kind, name := range parts {
		if part(kind) != topology.Unknown {
			info.Set(name, "true")
		}
	}
	return info
}

// Comm_split_type is MPI_Comm_split_type. The ranks of a node share memory. The hint mpi_hw_resource_type of a guided
// split is a name of MPI_Get_hw_resource_info. A rank that is bound to no such hardware gets no communicator, nor does
// any by the unguided type. By a type of Open MPI such a rank is alone.
func (p *Process) Comm_split_type(on *communicator, kind, key int, hints *comm.Info, out Ptr[Comm]) error {
	n, err := splitType(on.c, kind, key, hints)
	return p.made(n, err, on, out)
}

func splitType(c *comm.Comm, kind, key int, hints *comm.Info) (*comm.Comm, error) {
	switch kind {
	case COMM_TYPE_SHARED:
		return c.SplitType(comm.Shared, key)
	case COMM_TYPE_HW_GUIDED, COMM_TYPE_RESOURCE_GUIDED:
		name, _ := hints.Clone().Get("mpi_hw_resource_type")
		if name == sharedMemory {
			return c.SplitType(comm.Shared, key)
		}
		return splitPart(c, slices.Index(parts[:], name), key, comm.Undefined)
	case COMM_TYPE_HW_UNGUIDED, UNDEFINED:
		return c.SplitType(comm.Undefined, key)
	}
	switch {
	case !handlesAreObjects || kind < 1 || kind > ompiCluster:
		return nil, fail(ERR_ARG, "split type %d is not known", kind)
	case kind > ompiParts:
		return c.SplitType(comm.Shared, key)
	}
	return splitPart(c, kind-1, key, comm.Alone)
}

// splitPart splits by parts of nodes. A rank that is bound to none is split as otherwise says.
func splitPart(c *comm.Comm, kind, key int, otherwise comm.SplitKind) (*comm.Comm, error) {
	if kind >= 0 {
		if in := part(kind); in != topology.Unknown {
			return c.SplitPart(in, key)
		}
	}
	return c.SplitType(otherwise, key)
}

// Intercomm_create is MPI_Intercomm_create.
func (p *Process) Intercomm_create(local Comm, leader int, peer Comm, remoteLeader, tag int, out Ptr[Comm]) error {
	on, err := p.intra(local)
	if err != nil {
		return err
	}
	var with *comm.Comm
	if on.c.Rank() == leader {
		over, err := p.comm(peer)
		if err != nil {
			return err
		}
		with = over.c
	}
	n, err := comm.IntercommCreate(on.c, leader, with, remoteLeader, tag)
	return p.made(n, err, on, out)
}

// agree is MPIX_Comm_agree. The flag is agreed on also if there is an error.
func agree(c *comm.Comm, flag Ref) error {
	agreed, err := comm.Agree(c, uint64(flag.Get()))
	if err == nil || errors.As(err, new(*fault.LostError)) {
		flag.Set(int(agreed))
	}
	return err
}

// iagree is agree, nonblocking.
func (p *Process) iagree(on *communicator, flag Ref, req Ptr[Request]) error {
	r, err := comm.Iagree(on.c, uint64(flag.Get()), func(agreed uint64) { flag.Set(int(agreed)) })
	if err != nil {
		return err
	}
	return p.begun(r, on.collectives, req)
}

// ishrink is MPIX_Comm_ishrink.
func (p *Process) ishrink(on *communicator, out Ptr[Comm], req Ptr[Request]) error {
	out.Set(COMM_NULL)
	n, r, err := comm.Ishrink(on.c)
	if err != nil {
		return err
	}
	p.adopt(n, on, out)
	return p.begun(r, on.collectives, req)
}
