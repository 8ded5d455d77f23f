package protocol

// deque is a queue in a ring that grows as needed; its zero value is empty.
type deque[T any] struct {
	ring []T // its length is a power of two
	head int
	n    int
}

func (d *deque[T]) len() int { return d.n }

func (d *deque[T]) at(i int) T { return d.ring[(d.head+i)&(len(d.ring)-1)] }

func (d *deque[T]) set(i int, v T) { d.ring[(d.head+i)&(len(d.ring)-1)] = v }

func (d *deque[T]) push(v T) {
	if d.n == len(d.ring) {
		d.grow()
	}
	d.n++
	d.set(d.n-1, v)
}

func (d *deque[T]) pop() T {
	var zero T
	v := d.ring[d.head]
	d.ring[d.head] = zero
	d.head = (d.head + 1) & (len(d.ring) - 1)
	d.n--
	return v
}

// insert puts v before the i-th element.
func (d *deque[T]) insert(i int, v T) {
	d.push(v)
	for j := d.n - 1; j > i; j-- {
		d.set(j, d.at(j-1))
	}
	d.set(i, v)
}

func (d *deque[T]) grow() {
	ring := make([]T, max(4, 2*len(d.ring)))
	for i := range d.n {
		ring[i] = d.at(i)
	}
	d.ring, d.head = ring, 0
}
