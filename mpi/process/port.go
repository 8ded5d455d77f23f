package process

import (
	"errors"
	"time"

	"github.com/gopvas/gopvas/internal/comm"
	"github.com/gopvas/gopvas/mpi"
)

// Port is a place at which ranks of other jobs, or of this one, find a rank.
type Port struct {
	world     *comm.Comm
	name      string
	published []string
}

// Open opens a port of this rank. MPI 4.1 section 11.9.2 (MPI_Open_port).
func Open(world *mpi.Comm) (*Port, error) {
	name, err := comm.OpenPort((*comm.Comm)(world))
	if err != nil {
		return nil, err
	}
	return &Port{world: (*comm.Comm)(world), name: name}, nil
}

// Name is what Connect takes. It has printable characters only, and no space.
func (p *Port) Name() string { return p.name }

// Publish gives the port a further name, by which Lookup finds it until Close. MPI 4.1 section 11.9.4
// (MPI_Publish_name).
func (p *Port) Publish(service string) error {
	err := comm.PublishName(p.world, service, p.name)
	if err == nil {
		p.published = append(p.published, service)
	}
	return err
}

// Close closes the port and withdraws its names. Ranks that wait there get ErrPort. MPI 4.1 section 11.9.2
// (MPI_Close_port).
func (p *Port) Close() error {
	var errs []error
	for _, service := range p.published {
		errs = append(errs, comm.UnpublishName(p.world, service, p.name))
	}
	p.published = nil
	return errors.Join(append(errs, comm.ClosePort(p.world, p.name))...)
}

// Lookup returns the name of the port that was published as a service by a job of the user on this node. The error
// wraps ErrName if there is none. It does not wait. MPI 4.1 section 11.9.4 (MPI_Lookup_name).
func Lookup(world *mpi.Comm, service string) (string, error) {
	return comm.LookupName((*comm.Comm)(world), service)
}

// Accept waits until others connect to a port of the root, and returns a communicator of the ranks of c and, behind
// them, the others. It is collective, and may be called again for the next ones. Ranks but the root may pass nil.
//
// MPI 4.1 section 11.9.2 (MPI_Comm_accept).
func Accept(c *mpi.Comm, root int, p *Port) (*mpi.Comm, error) {
	var name string
	if p != nil {
		name = p.name
	}
	between, err := comm.Accept((*comm.Comm)(c), name, root, nil)
	return joined(between, false, err)
}

// Connect connects to a port at which others accept, and returns a communicator of them and, behind them, the ranks of
// c. It is collective. What the root passes counts. If nobody accepts within the time, of 0 within a minute, the error
// wraps ErrPort.
//
// MPI 4.1 section 11.9.3 (MPI_Comm_connect).
func Connect(c *mpi.Comm, root int, port string, within time.Duration) (*mpi.Comm, error) {
	if within <= 0 {
		within = comm.ConnectTime
	}
	between, err := comm.Connect((*comm.Comm)(c), port, root, within, nil)
	return joined(between, true, err)
}
