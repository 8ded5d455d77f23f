package capi

// Pack and unpack: section 5.2 of MPI 5.0. What is packed is the packed stream of the type,
// which is the same for all communicators.

// packed is a range of a buffer of packed data, of which position is the part that is used.
type packed struct {
	buffer   Address
	size     int
	position Ref
}

// take returns the address of the next n bytes.
func (b packed) take(n int) (Address, error) {
	at := b.position.Get()
	switch {
	case at < 0 || at > b.size:
		return 0, fail(ERR_ARG, "position %d is not within the buffer of %d bytes", at, b.size)
	case n > b.size-at:
		return 0, fail(ERR_TRUNCATE, "%d bytes do not fit into the %d that are left of the buffer", n, b.size-at)
	case n > 0 && b.buffer.nowhere():
		return 0, noBuffer(b.buffer, n)
	}
	return b.buffer + Address(at), nil
}

// used moves the position behind n bytes.
func (b packed) used(n int) { b.position.Set(b.position.Get() + n) }

// Pack is MPI_Pack.
func (p *Process) Pack(inbuf Address, count int, t Type, outbuf Address, outsize int, position Ref,
	_ *communicator) error {
	from, err := p.buffer(inbuf, count, t)
	if err != nil {
		return err
	}
	out := packed{outbuf, outsize, position}
	to, err := out.take(from.Len())
	if err != nil {
		return err
	}
	from.Pack(to.Bytes(from.Len()), 0)
	out.used(from.Len())
	return nil
}

// Unpack is MPI_Unpack.
func (p *Process) Unpack(inbuf Address, insize int, position Ref, outbuf Address, count int, t Type,
	_ *communicator) error {
	to, err := p.buffer(outbuf, count, t)
	if err != nil {
		return err
	}
	in := packed{inbuf, insize, position}
	from, err := in.take(to.Len())
	if err != nil {
		return err
	}
	to.Unpack(from.Bytes(to.Len()), 0)
	in.used(to.Len())
	return nil
}

// Pack_size is MPI_Pack_size.
func (p *Process) Pack_size(count int, t Type, _ *communicator, size Ref) error {
	o, err := p.messageType(t)
	if err != nil {
		return err
	}
	n, err := o.bytesOf(count)
	if err == nil {
		size.SetCount(n)
	}
	return err
}

// externalType is the type of a message in external32, the only representation.
func (p *Process) externalType(representation CString, t Type) (*typeObject, error) {
	if name := representation.String(); name != "external32" {
		return nil, fail(ERR_UNSUPPORTED_DATAREP, "%q is no representation that is known: it must be external32", name)
	}
	return p.messageType(t)
}

// Pack_external is MPI_Pack_external.
func (p *Process) Pack_external(representation CString, inbuf Address, count int, t Type,
	outbuf Address, outsize int, position Ref) error {
	o, err := p.externalType(representation, t)
	if err != nil {
		return err
	}
	from, err := o.memory(inbuf, count)
	if err != nil {
		return err
	}
	n := externalSize(o.Type) * count
	out := packed{outbuf, outsize, position}
	to, err := out.take(n)
	if err != nil || n == 0 {
		return err
	}
	native := make([]byte, from.Len())
	from.Pack(native, 0)
	if err := convert(o.Type, count, native, to.Bytes(n), toExternal); err != nil {
		return err
	}
	out.used(n)
	return nil
}

// Unpack_external is MPI_Unpack_external.
func (p *Process) Unpack_external(representation CString, inbuf Address, insize int, position Ref,
	outbuf Address, count int, t Type) error {
	o, err := p.externalType(representation, t)
	if err != nil {
		return err
	}
	to, err := o.memory(outbuf, count)
	if err != nil {
		return err
	}
	n := externalSize(o.Type) * count
	in := packed{inbuf, insize, position}
	from, err := in.take(n)
	if err != nil || n == 0 {
		return err
	}
	native := make([]byte, to.Len())
	if err := convert(o.Type, count, native, from.Bytes(n), toNative); err != nil {
		return err
	}
	to.Unpack(native, 0)
	in.used(n)
	return nil
}

// Pack_external_size is MPI_Pack_external_size.
func (p *Process) Pack_external_size(representation CString, count int, t Type, size Ref) error {
	o, err := p.externalType(representation, t)
	if err != nil {
		return err
	}
	if _, err := o.bytesOf(count); err != nil {
		return err
	}
	size.SetCount(externalSize(o.Type) * count)
	return nil
}
