package capi

import (
	"errors"
	"strings"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// Comm_spawn is MPI_Comm_spawn. Arguments but the root's count for nothing.
func (p *Process) Comm_spawn(command CString, argv Strings, most int, info Info, root int, c Comm,
	out Ptr[Comm], codes Ints) error {
	return p.spawn(1, root, c, out, codes, func(int) (comm.Command, error) {
		return p.command(command, argv, most, info)
	})
}

// Comm_spawn_multiple is MPI_Comm_spawn_multiple.
func (p *Process) Comm_spawn_multiple(count int, commands Strings, argvs Address, most Ints,
	infos Handles[Info], root int, c Comm, out Ptr[Comm], codes Ints) error {
	return p.spawn(count, root, c, out, codes, func(i int) (comm.Command, error) {
		var argv Strings
		if argvs != 0 {
			argv = Strings{uintptr(Strings{uintptr(argvs)}.At(i))}
		}
		return p.command(commands.At(i), argv, most.At(i), infos.At(i))
	})
}

// spawn starts the commands, as the root has them.
func (p *Process) spawn(count, root int, c Comm, out Ptr[Comm], codes Ints,
	command func(int) (comm.Command, error)) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	err = on.hasRoot(root)
	var commands []comm.Command
	if on.c.Rank() == root {
		if count < 1 {
			err = fail(ERR_ARG, "%d commands: pass 1 or more", count)
		}
		for i := 0; i < count && err == nil; i++ {
			var one comm.Command
			one, err = command(i)
			commands = append(commands, one)
		}
	}
	n, counts, err := comm.Spawn(on.c, root, commands, err)
	if !codes.Nil() {
		setCodes(codes, counts, err)
	}
	return p.made(n, err, on, out)
}

// setCodes tells the error code of each process that was asked for.
func setCodes(codes Ints, counts []comm.Count, err error) {
	at := 0
	for _, c := range counts {
		for n := range c.Asked {
			code := SUCCESS
			if n >= c.Started || err != nil {
				code = ERR_SPAWN
			}
			codes.Set(at, code)
			at++
		}
	}
}

// command returns what a program says of a command.
func (p *Process) command(name CString, argv Strings, most int, info Info) (c comm.Command, err error) {
	if c.Program, err = name.given(); err != nil {
		return c, err
	}
	c.Program = strings.TrimSpace(c.Program)
	if most < 1 {
		return c, fail(ERR_ARG, "%s: %d processes: pass 1 or more", c.Program, most)
	}
	c.N = most
	if !argv.Nil() {
		for i := 0; !argv.At(i).Nil(); i++ {
			c.Args = append(c.Args, argv.At(i).String())
		}
	}
	hints, err := p.hints(info)
	if err != nil {
		return c, err
	}
	for key, to := range map[string]*string{"wdir": &c.Dir, "path": &c.Path, "soft": &c.Soft, "host": &c.Host} {
		if hints != nil {
			*to, _ = hints.Get(key)
		}
	}
	return c, nil
}

// Comm_get_parent is MPI_Comm_get_parent. The communicator has a handle from the first call on.
func (p *Process) Comm_get_parent(out Ptr[Comm]) error {
	c := comm.Parent(p.world.c)
	if c == nil {
		out.Set(COMM_NULL)
		return nil
	}
	p.mu.Lock()
	n := p.known[c]
	p.mu.Unlock()
	if n != nil {
		out.Set(n.handle)
		return nil
	}
	p.adopt(c, p.world, out).name = "MPI_COMM_PARENT"
	return nil
}

// Comm_disconnect is MPI_Comm_disconnect.
func (p *Process) Comm_disconnect(c Ptr[Comm]) error { return p.endComm(c, comm.Disconnect) }

// Open_port is MPI_Open_port.
func (p *Process) Open_port(info Info, out OutString) error {
	if _, err := p.hints(info); err != nil {
		return err
	}
	port, err := comm.OpenPort(p.world.c)
	if err != nil {
		return err
	}
	p.ports.Add(1)
	out.Set(port, MAX_PORT_NAME)
	return nil
}

// Close_port is MPI_Close_port.
func (p *Process) Close_port(port CString) error {
	err := comm.ClosePort(p.world.c, port.String())
	if err == nil {
		p.ports.Add(-1)
	}
	return err
}

// Comm_accept is MPI_Comm_accept.
func (p *Process) Comm_accept(port CString, info Info, root int, c Comm, out Ptr[Comm]) error {
	return p.connect(func(on *comm.Comm, name string, _ *comm.Info, bad error) (*comm.Comm, error) {
		return comm.Accept(on, name, root, bad)
	}, port, info, root, c, out)
}

// Comm_connect is MPI_Comm_connect.
func (p *Process) Comm_connect(port CString, info Info, root int, c Comm, out Ptr[Comm]) error {
	return p.connect(func(on *comm.Comm, name string, hints *comm.Info, bad error) (*comm.Comm, error) {
		within, wrong := comm.TimeToConnect(hints)
		if wrong != nil {
			bad = fail(ERR_INFO_VALUE, "%v", wrong)
		}
		return comm.Connect(on, name, root, within, bad)
	}, port, info, root, c, out)
}

// connect has the members of a communicator meet others by call, whose last argument is what is wrong with other ones.
// The port and the hints are those of the root.
func (p *Process) connect(call func(*comm.Comm, string, *comm.Info, error) (*comm.Comm, error), port CString, info Info,
	root int, c Comm, out Ptr[Comm]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	var name string
	var hints *comm.Info
	bad := on.hasRoot(root)
	if on.c.Rank() == root {
		name = port.String()
		hints, bad = p.hints(info)
	}
	n, err := call(on.c, name, hints, bad)
	return p.made(n, err, on, out)
}

// service checks the name of a service.
func (p *Process) service(name CString, info Info) (string, error) {
	_, err := p.hints(info)
	if err != nil {
		return "", err
	}
	return name.given()
}

// Publish_name is MPI_Publish_name.
func (p *Process) Publish_name(service CString, info Info, port CString) error {
	name, err := p.service(service, info)
	if err != nil {
		return err
	}
	text, err := port.given()
	if err == nil && len(text) >= MAX_PORT_NAME {
		err = fail(ERR_ARG, "the name of the port has %d bytes: pass less than MPI_MAX_PORT_NAME, which is %d",
			len(text), MAX_PORT_NAME)
	}
	if err != nil {
		return err
	}
	return comm.PublishName(p.world.c, name, text)
}

// Unpublish_name is MPI_Unpublish_name.
func (p *Process) Unpublish_name(service CString, info Info, port CString) error {
	name, err := p.service(service, info)
	if err != nil {
		return err
	}
	return comm.UnpublishName(p.world.c, name, port.String())
}

// Lookup_name is MPI_Lookup_name.
func (p *Process) Lookup_name(service CString, info Info, out OutString) error {
	name, err := p.service(service, info)
	if err != nil {
		return err
	}
	port, err := comm.LookupName(p.world.c, name)
	if err == nil && out.Set(port, MAX_PORT_NAME) < len(port) { // of a program whose MPI has longer ones
		err = fail(ERR_NAME, "the name of its port has %d bytes, which are more than MPI_MAX_PORT_NAME", len(port))
	}
	return err
}

// Comm_join is MPI_Comm_join: the socket carries the names of ports. The rank with the lower name accepts.
func (p *Process) Comm_join(fd int, out Ptr[Comm]) error {
	n, err := comm.JoinSocket(p.self.c, fd)
	if errors.Is(err, comm.ErrOtherJob) {
		err = fail(ERR_UNSUPPORTED_OPERATION, "%v", err)
	}
	return p.made(n, err, p.self, out)
}
