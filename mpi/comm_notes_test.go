package mpi

import "fmt"

func names(c *Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	name := d.Name()
	d.SetName("halo")
	return first(want("name", c.Name(), "world"), want("name at first", name, ""),
		want("name", d.Name(), "halo"), d.Free())
}

// attributes go to copies as their key wants it, and are removed once, the last first.
func attributes(c *Comm) error {
	var log []string
	counted := NewAttribute(
		func(from *Comm, v int) (int, bool) { return v + 1, v < 12 },
		func(_ *Comm, v int) { log = append(log, fmt.Sprintf("int %d", v)) })
	plain := NewAttribute[error](nil, func(_ *Comm, v error) { log = append(log, fmt.Sprint("error ", v)) })
	var parts []*Comm
	for parent := c; len(parts) < 3; parent = parts[len(parts)-1] {
		d, err := parent.Dup()
		if err != nil {
			return err
		}
		if len(parts) == 0 {
			if err := first(counted.Set(d, 10), plain.Set(d, nil), counted.Set(d, 11)); err != nil {
				return err
			}
		}
		parts = append(parts, d)
	}
	_, world := counted.Get(c)
	v0, ok0 := counted.Get(parts[0])
	e0, okE0 := plain.Get(parts[0])
	v1, ok1 := counted.Get(parts[1])
	_, okE1 := plain.Get(parts[1])
	_, ok2 := counted.Get(parts[2])
	counted.Delete(parts[1])
	counted.Delete(parts[1])
	if err := first(want("world", world, false), want("value", v0, 11), want("there", ok0, true),
		want("nil", e0, nil), want("there", okE0, true), want("copied", v1, 12), want("there", ok1, true),
		want("not copied", okE1, false), want("refused", ok2, false)); err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.Free(); err != nil {
			return err
		}
	}
	return first(want("removed", fmt.Sprint(log), "[int 10 int 12 error <nil> int 11]"),
		wantIs("set after free", counted.Set(parts[0], 1), ErrFreed))
}

// onlyTheWorld: what a job has once is not to be had on a part of it.
func onlyTheWorld(c *Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	_, _, had := c.Partition()
	_, has := d.Group().TranslateRanks([]int{ProcNull, 0}, c.Group())
	_, _, same := d.Partition()
	return first(has, wantIs("finalize", d.Finalize(), ErrNotWorld),
		want("partition", same, had), d.Free())
}
