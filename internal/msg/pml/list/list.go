package list

// List is a doubly linked list.
type List[T any] struct {
	head, tail *Node[T]
}

// Node is one place in one list at a time. Of is what it is a field of, set once.
type Node[T any] struct {
	prev, next *Node[T]
	Of         *T
}

// Empty tells whether nothing is listed.
func (l *List[T]) Empty() bool { return l.head == nil }

// Head returns the first node, nil if there is none.
func (l *List[T]) Head() *Node[T] { return l.head }

// Next returns the node after this one, nil if it is the last.
func (n *Node[T]) Next() *Node[T] { return n.next }

// Push appends n, which is in no list.
func (l *List[T]) Push(n *Node[T]) {
	n.prev, n.next = l.tail, nil
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
}

// PushFront puts n, which is in no list, before all others.
func (l *List[T]) PushFront(n *Node[T]) {
	n.prev, n.next = nil, l.head
	if l.head == nil {
		l.tail = n
	} else {
		l.head.prev = n
	}
	l.head = n
}

// Remove takes n, which is in l, out of it.
func (l *List[T]) Remove(n *Node[T]) {
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

// Pop takes the first out of the list and returns it, nil if there is none.
func (l *List[T]) Pop() *T {
	n := l.head
	if n == nil {
		return nil
	}
	l.Remove(n)
	return n.Of
}
