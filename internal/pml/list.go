package pml

// list is a doubly linked list. Its nodes are fields of the listed objects, so that
// listing allocates nothing and anything can leave from the middle.
type list[T any] struct {
	head, tail *node[T]
}

// node is one place in one list at a time. of is what it is a field of, set once.
type node[T any] struct {
	prev, next *node[T]
	of         *T
}

// push appends n, which is in no list.
func (l *list[T]) push(n *node[T]) {
	n.prev, n.next = l.tail, nil
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
}

// pushFront puts n, which is in no list, before all others.
func (l *list[T]) pushFront(n *node[T]) {
	n.prev, n.next = nil, l.head
	if l.head == nil {
		l.tail = n
	} else {
		l.head.prev = n
	}
	l.head = n
}

// remove takes n, which is in l, out of it.
func (l *list[T]) remove(n *node[T]) {
	if n.prev == nil {
		l.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.prev, n.next = nil, nil
}

// pop takes the first out of the list and returns it, nil if there is none.
func (l *list[T]) pop() *T {
	n := l.head
	if n == nil {
		return nil
	}
	l.remove(n)
	return n.of
}
