package capi

import (
	"os"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// info returns the info object of a handle.
func (p *Process) info(h Info) (*comm.Info, error) {
	if h == INFO_ENV {
		return p.environment(), nil
	}
	if f := p.infos.get(uintptr(h)); f != nil {
		return f, nil
	}
	return nil, wrongHandle(kindInfo, uintptr(h))
}

// hints returns the hints of a call; nil for MPI_INFO_NULL.
func (p *Process) hints(h Info) (*comm.Info, error) {
	if h == INFO_NULL {
		return nil, nil
	}
	return p.info(h)
}

// environment is MPI_INFO_ENV.
func (p *Process) environment() *comm.Info {
	f := new(comm.Info)
	handler, _ := initially()
	f.Set("mpi_initial_errhandler", handler)
	if len(os.Args) > 0 {
		f.Set("command", os.Args[0])
	}
	if dir, err := os.Getwd(); err == nil {
		f.Set("wdir", dir)
	}
	if host, err := os.Hostname(); err == nil {
		f.Set("host", host)
	}
	return f
}

// newInfo hands out a new info object.
func (p *Process) newInfo(f *comm.Info, out Ptr[Info]) error {
	out.Set(Info(p.infos.add(f)))
	return nil
}

// Info_free is MPI_Info_free.
func (p *Process) Info_free(h Ptr[Info]) error {
	if p.infos.remove(uintptr(h.Get())) == nil {
		return wrongHandle(kindInfo, uintptr(h.Get()))
	}
	h.Set(INFO_NULL)
	return nil
}

// keyOf checks a key.
func keyOf(key CString) (string, error) {
	s := key.String()
	if s == "" || len(s) >= MAX_INFO_KEY {
		return "", fail(ERR_INFO_KEY, "a key has 1 to %d characters, this one has %d", MAX_INFO_KEY-1, len(s))
	}
	return s, nil
}

// Info_set is MPI_Info_set.
func (p *Process) Info_set(h Info, key, value CString) error {
	f, err := p.info(h)
	if err != nil {
		return err
	}
	if h == INFO_ENV {
		return fail(ERR_INFO, "MPI_INFO_ENV cannot be changed")
	}
	k, err := keyOf(key)
	if err != nil {
		return err
	}
	v := value.String()
	if value.Nil() || len(v) >= MAX_INFO_VAL {
		return fail(ERR_INFO_VALUE, "a value has at most %d characters, this one has %d", MAX_INFO_VAL-1, len(v))
	}
	f.Set(k, v)
	return nil
}

// Info_delete is MPI_Info_delete.
func (p *Process) Info_delete(h Info, key CString) error {
	f, err := p.info(h)
	if err != nil {
		return err
	}
	k, err := keyOf(key)
	if err != nil {
		return err
	}
	if !f.Delete(k) {
		return fail(ERR_INFO_NOKEY, "there is no key %q", k)
	}
	return nil
}

// lookUp returns the value of a key.
func (p *Process) lookUp(h Info, key CString) (value string, ok bool, err error) {
	f, err := p.info(h)
	if err != nil {
		return "", false, err
	}
	k, err := keyOf(key)
	if err != nil {
		return "", false, err
	}
	value, ok = f.Get(k)
	return value, ok, nil
}

// Info_get is MPI_Info_get. length is without the zero byte.
func (p *Process) Info_get(h Info, key CString, length int, out OutString, flag Ref) error {
	if length < 0 {
		return fail(ERR_ARG, "the length %d is negative", length)
	}
	value, ok, err := p.lookUp(h, key)
	if err != nil {
		return err
	}
	if flag.SetBool(ok); ok {
		out.Set(value, length+1)
	}
	return nil
}

// Info_get_string is MPI_Info_get_string. The length is with the zero byte.
func (p *Process) Info_get_string(h Info, key CString, length Ref, out OutString, flag Ref) error {
	value, ok, err := p.lookUp(h, key)
	if err != nil {
		return err
	}
	if flag.SetBool(ok); ok {
		out.Set(value, length.Get())
		length.Set(len(value) + 1)
	}
	return nil
}

// Info_get_valuelen is MPI_Info_get_valuelen.
func (p *Process) Info_get_valuelen(h Info, key CString, length, flag Ref) error {
	value, ok, err := p.lookUp(h, key)
	if err != nil {
		return err
	}
	if flag.SetBool(ok); ok {
		length.Set(len(value))
	}
	return nil
}

// Info_get_nthkey is MPI_Info_get_nthkey.
func (p *Process) Info_get_nthkey(h Info, n int, key OutString) error {
	f, err := p.info(h)
	if err != nil {
		return err
	}
	if uint(n) >= uint(f.Len()) {
		return fail(ERR_ARG, "there is no key %d: there are %d", n, f.Len())
	}
	key.Set(f.Key(n), MAX_INFO_KEY)
	return nil
}
