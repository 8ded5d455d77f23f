// Short one-sided calls, without a call of Go.
//
// A call of Go costs more than most of these operations. So C does what is plain: some elements of a predefined type,
// in one piece, in memory that this process can address, in an epoch that allows it, and nothing wrong. It reads and
// changes the words that package window has, by the same rules (internal/msg/window/lock/doc.go), and with the same
// atomic operations. All else, and all that has to wait, is Go's: a function that returns 0 has changed nothing.
//
// A window is known here from its making to its Free, unless somebody watches the calls (capi.shorten). Its memory is
// Go's, which does not move it. Free takes the window from the table before it ends it, so who finds it there may use
// it: a program that frees a window while it uses it is wrong.
//
// The memory of a window may be reached by other threads, and by other ranks. Put and get owe them nothing but that
// each byte is one that was written. What is atomic is an instruction, or done under the lock of a stripe.

#include "window.h"
#include "entry.h"
#include "types.h"
#include <stddef.h>
#include <string.h>

// What Go has: struct Window of package window, whose parts are of packages lock and epoch.

struct head {
	int64_t everyone;
	char gap[56];
	int32_t sleepers;
};

struct record {
	uint64_t lock; // the upper half: the rank that has it alone, from 1
	char gap[56];
	int64_t held;
	char gap2[56];
};

struct stripe {
	uint32_t holder;
	char gap[60];
	uint64_t singles;
	char gap2[56];
};

struct target {
	uintptr_t base;
	uint64_t bytes, unit;
	int64_t pid; // not 0: of another process
	uintptr_t salt;
};

struct slice {
	uint32_t *at;
	int64_t len, cap;
};

struct window {
	struct head *head;
	struct record *records;
	int64_t records_len, records_cap;
	struct stripe *stripes;
	int64_t stripes_len, stripes_cap, me;
	void *own;
	struct target *targets;
	int64_t targets_len, targets_cap;
	uintptr_t handle;
	uint8_t far;
	uint32_t ends, *gone;
	int32_t access __attribute__((aligned(8))), locks;
	struct slice *marks;
};

#define AT(type, field, offset) _Static_assert(offsetof(struct type, field) == offset, "see front_unsafe.go")
AT(window, stripes, 32);
AT(window, me, 56);
AT(window, targets, 72);
AT(window, handle, 96);
AT(window, far, 104);
AT(window, ends, 108);
AT(window, gone, 112);
AT(window, access, 120);
AT(window, locks, 124);
AT(window, marks, 128);
AT(target, salt, 32);
AT(head, sleepers, 64);
AT(record, held, 64);
AT(stripe, singles, 64);
_Static_assert(sizeof(struct target) == 40 && sizeof(struct record) == 128 && sizeof(struct stripe) == 128,
	"see lock/words.go");

// The access epochs and the marks of targets: epoch/epoch.go, epoch/marks.go.
enum { IDLE, FENCED, ACTIVE, STARTED, LOCKED, LOCKED_ALL, OVER };
enum { OPEN = 1, EXCLUSIVE = 2, UNCHECKED = 4, MARK_BITS = 4, PER_WORD = 32 / MARK_BITS };
enum { HOLDER_SHIFT = 32, HELD_SHIFT = 24, STRIPE_SHIFT = 14 }; // lock/lock.go, lock/stripe.go
enum { PARTS = 64, PART_BYTES = (1 << STRIPE_SHIFT) / PARTS };

// LONGEST is what is done here at most: for more a call of Go does not matter.
enum { LONGEST = 4096, FIRST_PAGE = 4096 };

// nowhere tells whether there is no memory of a program: see Address in package capi.
static int nowhere(const void *at) { return (intptr_t)at < FIRST_PAGE; }

// How many windows capi.Tables has, by their handles.
enum { PLACES = 256 };

// window_of is the window of a handle, NULL if it is not known here.
static struct window *window_of(MPI_Win win) {
	uintptr_t handle = libmpi_made(win);
	struct window **all = libmpi_tables.windows;
	if (!all)
		return NULL;
	struct window *w = __atomic_load_n(&all[handle >> KIND_BITS & (PLACES - 1)], __ATOMIC_ACQUIRE);
	return w && __atomic_load_n(&w->handle, __ATOMIC_RELAXED) == handle ? w : NULL;
}

// bytes_of is the length of some elements, 0 if that is not for here.
static uint64_t bytes_of(MPI_Count n, MPI_Datatype type) {
	return n > 0 && n <= LONGEST ? n * (libmpi_predefined(type) & SIZE_MASK) : 0;
}

static unsigned mark_of(const struct window *w, int rank) {
	if (!w->marks)
		return 0;
	return __atomic_load_n(&w->marks->at[rank / PER_WORD], __ATOMIC_RELAXED) >> rank % PER_WORD * MARK_BITS &
		((1 << MARK_BITS) - 1);
}

// permitted tells whether an operation on a target is allowed now, and has not to wait.
static int permitted(const struct window *w, int rank) {
	switch (__atomic_load_n(&w->access, __ATOMIC_RELAXED)) {
	case ACTIVE:
		return 1;
	case STARTED:
	case LOCKED:
		return mark_of(w, rank) & OPEN;
	case LOCKED_ALL:
		return __atomic_load_n(&w->records[rank].lock, __ATOMIC_SEQ_CST) >> HOLDER_SHIFT == 0;
	}
	return 0;
}

// find is the memory of n bytes of a target, NULL if it is not for here. *stripe gets its place in stripes.
static char *find(const struct window *w, int rank, MPI_Aint disp, uint64_t n, uintptr_t *stripe) {
	if (rank < 0 || rank >= w->targets_len || n == 0 || n > LONGEST)
		return NULL;
	const struct target *t = &w->targets[rank];
	uint64_t offset, end;
	if (t->pid != 0 || disp < 0 || __builtin_mul_overflow((uint64_t)disp, t->unit, &offset) ||
	    __builtin_add_overflow(offset, n, &end) || end > t->bytes || !permitted(w, rank))
		return NULL;
	uintptr_t base = __atomic_load_n(&t->base, __ATOMIC_ACQUIRE);
	*stripe = t->salt + offset;
	return base != UINTPTR_MAX && base + offset >= FIRST_PAGE ? (char *)(base + offset) : NULL;
}

// find_to_write is find for an operation that writes. When a rank has ended, Go looks whether it is the target.
static char *find_to_write(const struct window *w, int rank, MPI_Aint disp, uint64_t n, uintptr_t *stripe) {
	return __atomic_load_n(w->gone, __ATOMIC_ACQUIRE) == w->ends ? find(w, rank, disp, n, stripe) : NULL;
}

// reads is called when a word is read or exchanged. One that is read in succession is to be changed by another rank,
// which may need this CPU: now and then Go yields. Threads that read at once may miscount, as in package window.
static void reads(const struct window *w, uintptr_t stripe, uint64_t bytes) {
	static uintptr_t last;
	static int times;
	if (bytes > 8)
		return;
	int n = __atomic_load_n(&last, __ATOMIC_RELAXED) == stripe ? __atomic_load_n(&times, __ATOMIC_RELAXED) + 1 : 0;
	__atomic_store_n(&last, stripe, __ATOMIC_RELAXED);
	__atomic_store_n(&times, n < libmpi_tables.looks ? n : 0, __ATOMIC_RELAXED);
	if (n == libmpi_tables.looks)
		libmpi_call(OP_WAITING, (const int64_t *)&w->handle);
}

// copy copies what most copies are by two instructions.
static void copy(void *to, const void *from, uint64_t n) {
	if (n == 8)
		memcpy(to, from, 8);
	else
		memmove(to, from, n);
}

int libmpi_short_put(const void *from, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m,
	MPI_Datatype of, MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || nowhere(from))
		return 0;
	uintptr_t stripe;
	uint64_t bytes = bytes_of(n, type);
	void *to = bytes == bytes_of(m, of) ? find_to_write(w, rank, disp, bytes, &stripe) : NULL;
	if (!to)
		return 0;
	copy(to, from, bytes);
	return 1;
}

int libmpi_short_get(void *to, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m, MPI_Datatype of,
	MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || nowhere(to))
		return 0;
	uintptr_t stripe;
	uint64_t bytes = bytes_of(n, type);
	const void *from = bytes == bytes_of(m, of) ? find(w, rank, disp, bytes, &stripe) : NULL;
	if (!from)
		return 0;
	reads(w, stripe, bytes);
	copy(to, from, bytes);
	return 1;
}

static struct stripe *stripe_of(const struct window *w, uintptr_t at) {
	uint64_t hash = (uint64_t)(at >> STRIPE_SHIFT) * 0x9e3779b97f4a7c15;
	return &w->stripes[hash >> 32 & (w->stripes_len - 1)];
}

// part_of is the part of a stripe in which an element begins.
static unsigned part_of(uintptr_t at) {
	return at / PART_BYTES % PARTS;
}

// is_word tells whether elements are integers that an instruction can change.
static int is_word(const struct window *w, uint32_t type, const void *at) {
	uint32_t size = type & SIZE_MASK;
	return type >> KIND_SHIFT == INTEGER && !w->far && ((uintptr_t)at & (size - 1)) == 0;
}

// is_single tells whether an element is a word that instructions change already. If not it is for Go to say so.
static int is_single(const struct window *w, uint32_t type, const void *to, uintptr_t at) {
	return is_word(w, type, to) &&
		__atomic_load_n(&stripe_of(w, at)->singles, __ATOMIC_SEQ_CST) >> part_of(at) & 1;
}

// FETCH has an integer become op of it and of another one, and writes down what it was.
#define FETCH(T, to, from, result, op) do { \
	T was, in = 0; \
	if (op != MPI_NO_OP) \
		memcpy(&in, from, sizeof in); \
	if (op == MPI_SUM) \
		was = __atomic_fetch_add((T *)(to), in, __ATOMIC_SEQ_CST); \
	else if (op == MPI_REPLACE) \
		was = __atomic_exchange_n((T *)(to), in, __ATOMIC_SEQ_CST); \
	else \
		was = __atomic_load_n((T *)(to), __ATOMIC_SEQ_CST); \
	memcpy(result, &was, sizeof was); \
} while (0)

int libmpi_short_fetch_and_op(const void *from, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
	MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || nowhere(result) || (op != MPI_NO_OP && nowhere(from)) ||
	    (op != MPI_SUM && op != MPI_REPLACE && op != MPI_NO_OP))
		return 0;
	uintptr_t stripe;
	uint32_t t = libmpi_predefined(type);
	void *at = op == MPI_NO_OP ? find(w, rank, disp, t & SIZE_MASK, &stripe)
				: find_to_write(w, rank, disp, t & SIZE_MASK, &stripe);
	if (!at || !is_single(w, t, at, stripe))
		return 0;
	if (op != MPI_SUM)
		reads(w, stripe, t & SIZE_MASK);
	if ((t & SIZE_MASK) == 8)
		FETCH(uint64_t, at, from, result, op);
	else
		FETCH(uint32_t, at, from, result, op);
	return 1;
}

// SWAP puts an integer in the place of one that is as expected, and writes down what was there.
#define SWAP(T, to, from, compare, result) do { \
	T was, in; \
	memcpy(&was, compare, sizeof was); \
	memcpy(&in, from, sizeof in); \
	__atomic_compare_exchange_n((T *)(to), &was, in, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	memcpy(result, &was, sizeof was); \
} while (0)

int libmpi_short_compare_and_swap(const void *from, const void *compare, void *result, MPI_Datatype type, int rank,
	MPI_Aint disp, MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || nowhere(from) || nowhere(compare) || nowhere(result))
		return 0;
	uintptr_t stripe;
	uint32_t t = libmpi_predefined(type);
	void *at = find_to_write(w, rank, disp, t & SIZE_MASK, &stripe);
	if (!at || !is_single(w, t, at, stripe))
		return 0;
	reads(w, stripe, t & SIZE_MASK);
	if ((t & SIZE_MASK) == 8)
		SWAP(uint64_t, at, from, compare, result);
	else
		SWAP(uint32_t, at, from, compare, result);
	return 1;
}

// changed has Go wake the ranks that wait for words of the window, after one was changed.
static void changed(const struct window *w) {
	if (__atomic_load_n(&w->head->sleepers, __ATOMIC_SEQ_CST) != 0)
		libmpi_call(OP_CHANGED, (const int64_t *)&w->handle);
}

// PLUS adds elements, or a vector of them, to those of a target.
#define PLUS(T, to, from) do { \
	T sum, in; \
	memcpy(&sum, to, sizeof sum); \
	memcpy(&in, from, sizeof in); \
	sum += in; \
	memcpy(to, &sum, sizeof sum); \
} while (0)

#define SUM(T, to, from, bytes) do { \
	typedef T vector __attribute__((vector_size(32))); \
	uint64_t i = 0; \
	for (; i + sizeof(vector) <= bytes; i += sizeof(vector)) \
		PLUS(vector, (to) + i, (from) + i); \
	for (; i < bytes; i += sizeof(T)) \
		PLUS(T, (to) + i, (from) + i); \
} while (0)

// ADD does so by instructions.
#define ADD(T, to, from, bytes) do { \
	for (uint64_t i = 0; i < bytes; i += sizeof(T)) { \
		T in; \
		memcpy(&in, (from) + i, sizeof in); \
		__atomic_fetch_add((T *)((to) + i), in, __ATOMIC_SEQ_CST); \
	} \
} while (0)

// sum adds numbers by plain code.
static void sum(char *to, const char *from, uint64_t bytes, uint32_t type) {
	switch (type) {
	case FLOAT << KIND_SHIFT | 8:
		SUM(double, to, from, bytes);
		break;
	case FLOAT << KIND_SHIFT | 4:
		SUM(float, to, from, bytes);
		break;
	case INTEGER << KIND_SHIFT | 8:
		SUM(uint64_t, to, from, bytes);
		break;
	case INTEGER << KIND_SHIFT | 4:
		SUM(uint32_t, to, from, bytes);
		break;
	}
}

// sum_words is sum of words under the lock of their stripe: by instructions in the parts that have a flag.
static void sum_words(const struct stripe *s, char *to, const char *from, uint64_t bytes, uint32_t type, uintptr_t at) {
	uint64_t flags = __atomic_load_n(&s->singles, __ATOMIC_SEQ_CST), n;
	uint32_t size = type & SIZE_MASK;
	for (; bytes > 0; to += n, from += n, at += n, bytes -= n) {
		uint64_t rest = (PART_BYTES - at % PART_BYTES + size - 1) / size * size; // of the part
		n = flags && rest < bytes ? rest : bytes;
		if (!(flags >> part_of(at) & 1))
			sum(to, from, n, type);
		else if (size == 8)
			ADD(uint64_t, to, from, n);
		else
			ADD(uint32_t, to, from, n);
	}
}

// sum_locked adds numbers, of which there are some, under the lock of their stripe. If they are in two it does nothing.
static int sum_locked(const struct window *w, char *to, const char *from, uint64_t bytes, uint32_t type,
	uintptr_t at) {
	uintptr_t last = at + bytes - (type & SIZE_MASK);
	struct stripe *s = stripe_of(w, at);
	uint32_t nobody = 0;
	if (last >> STRIPE_SHIFT != at >> STRIPE_SHIFT ||
	    !__atomic_compare_exchange_n(&s->holder, &nobody, (uint32_t)w->me + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 0;
	if (is_word(w, type, to))
		sum_words(s, to, from, bytes, type, at);
	else
		sum(to, from, bytes, type);
	__atomic_store_n(&s->holder, 0, __ATOMIC_SEQ_CST);
	changed(w);
	return 1;
}

int libmpi_short_accumulate(const void *from, MPI_Count n, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count m,
	MPI_Datatype of, MPI_Op op, MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || nowhere(from) || op != MPI_SUM || n != m || type != of)
		return 0;
	uintptr_t stripe;
	uint32_t t = libmpi_predefined(type);
	uint64_t bytes = bytes_of(n, type);
	char *to = find_to_write(w, rank, disp, bytes, &stripe);
	if (!to || w->far || t >> KIND_SHIFT == OTHER)
		return 0;
	if (n > 1 || !is_word(w, t, to))
		return sum_locked(w, to, from, bytes, t, stripe);
	if (!is_single(w, t, to, stripe))
		return 0;
	if (bytes == 8)
		ADD(uint64_t, to, (const char *)from, 8);
	else
		ADD(uint32_t, to, (const char *)from, 4);
	return 1;
}

// Operations are done when they return: a flush keeps the order of stores.
int libmpi_short_win_flush(int rank, MPI_Win win) {
	const struct window *w = window_of(win);
	if (!w || rank < 0 || rank >= w->targets_len || w->targets[rank].pid < 0)
		return 0;
	int32_t access = __atomic_load_n(&w->access, __ATOMIC_RELAXED);
	if (access != LOCKED_ALL && (access != LOCKED || mark_of(w, rank) == 0))
		return 0;
	__atomic_thread_fence(__ATOMIC_ACQ_REL);
	return 1;
}

// Locks are for the thread that has the coroutine: no other one calls MPI, so the epoch is its own. It needs no mutex
// for it, and record.held, which is written by its rank alone, is changed by plain stores. Others read it after the
// word of the lock, which is changed by atomic operations.

// enter_alone begins a call by the coroutine that stays in C. It returns NULL if this thread has none.
static struct context *enter_alone(void) {
	struct context *c = libmpi_mine;
	if (!c)
		return NULL;
	c->inside++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&c->claimed, __ATOMIC_RELAXED))
		return c;
	libmpi_end_call(c);
	return NULL;
}

// set_mark gives a target of the epoch its marks, and changes how many locks it has.
static void set_mark(struct window *w, int rank, uint32_t mark, int more) {
	uint32_t *word = &w->marks->at[rank / PER_WORD];
	int shift = rank % PER_WORD * MARK_BITS;
	__atomic_store_n(word, (*word & ~(((1u << MARK_BITS) - 1) << shift)) | mark << shift, __ATOMIC_RELAXED);
	w->locks += more;
	__atomic_store_n(&w->access, w->locks > 0 ? LOCKED : IDLE, __ATOMIC_RELAXED);
}

// hold notes that this rank has so many shared locks of a target more.
static void hold(struct window *w, int rank, int64_t more) {
	int64_t *held = &w->records[w->me].held;
	__atomic_store_n(held, *held + more * (((int64_t)(rank + 1) << HELD_SHIFT) + 1), __ATOMIC_RELEASE);
}

static int lock_alone(const struct window *w, uint64_t *lock) {
	uint64_t nobody = 0;
	if (!__atomic_compare_exchange_n(lock, &nobody, (uint64_t)(w->me + 1) << HOLDER_SHIFT, 0, __ATOMIC_SEQ_CST,
		__ATOMIC_RELAXED))
		return 0;
	if (__atomic_load_n(&w->head->everyone, __ATOMIC_SEQ_CST) == 0)
		return 1;
	__atomic_store_n(lock, 0, __ATOMIC_SEQ_CST);
	changed(w);
	return 0;
}

static int lock_shared(struct window *w, int rank, uint64_t *lock) {
	uint64_t word = __atomic_load_n(lock, __ATOMIC_SEQ_CST);
	hold(w, rank, 1);
	if (word >> HOLDER_SHIFT == 0 &&
	    __atomic_compare_exchange_n(lock, &word, word + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 1;
	hold(w, rank, -1);
	return 0;
}

static int short_lock(int kind, int rank, int assertion, MPI_Win win) {
	struct window *w = window_of(win);
	if (!w || !w->marks || assertion != 0 || rank < 0 || rank >= w->targets_len ||
	    w->targets[rank].pid < 0 || w->access > LOCKED || w->access == ACTIVE || w->access == STARTED ||
	    mark_of(w, rank) != 0)
		return 0;
	uint64_t *lock = &w->records[rank].lock;
	if (kind == MPI_LOCK_EXCLUSIVE ? !lock_alone(w, lock) : kind != MPI_LOCK_SHARED || !lock_shared(w, rank, lock))
		return 0;
	set_mark(w, rank, kind == MPI_LOCK_EXCLUSIVE ? OPEN | EXCLUSIVE : OPEN, 1);
	return 1;
}

int libmpi_short_win_lock(int kind, int rank, int assertion, MPI_Win win) {
	struct context *c = enter_alone();
	if (!c)
		return 0;
	int done = short_lock(kind, rank, assertion, win);
	libmpi_end_call(c);
	return done;
}

static int short_unlock(int rank, MPI_Win win) {
	struct window *w = window_of(win);
	if (!w || rank < 0 || rank >= w->targets_len || w->targets[rank].pid < 0 || w->access != LOCKED)
		return 0;
	unsigned mark = mark_of(w, rank);
	if (mark != OPEN && mark != (OPEN | EXCLUSIVE))
		return 0;
	set_mark(w, rank, 0, -1);
	if (mark & EXCLUSIVE) {
		__atomic_store_n(&w->records[rank].lock, 0, __ATOMIC_SEQ_CST);
	} else {
		__atomic_fetch_sub(&w->records[rank].lock, 1, __ATOMIC_SEQ_CST);
		hold(w, rank, -1);
	}
	changed(w);
	return 1;
}

int libmpi_short_win_unlock(int rank, MPI_Win win) {
	struct context *c = enter_alone();
	if (!c)
		return 0;
	int done = short_unlock(rank, win);
	libmpi_end_call(c);
	return done;
}
