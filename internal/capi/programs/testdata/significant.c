/* Arguments of collective operations. What is not significant may be anything. What is significant is checked: the
   rank that passes a wrong one has an error of the right class. The call counts all the same: each of the others,
   which make it rightly, has a right result or an error, and right calls after it meet. If calls are checked ("check")
   or prepared, all hear of it. A call without a communicator is none. For 4 ranks. */
#include "program.h"
#include "significant.h"
#include <limits.h>

enum { N = 2, WORDS = 16 }; /* elements of a block, and of a buffer */

/* A place where an operation is done. */
static struct place {
	MPI_Comm comm;
	int in_place, over; /* with MPI_IN_PLACE; over an intercommunicator */
} places[] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
enum { GRID = 3, PLACES };

static int wanted[2]; /* the ranks of the world that a block comes from on the grid */
static MPI_Datatype freed_type, loose_type;
static MPI_Op freed_op, other_op;
static int cases, check;

static int number(int from, int i) { return 100 * from + i; }

/* What this rank is in an operation. */
static enum role role_of(const struct operation *o, const struct place *p) {
	int rooted = o->significant[ROOT] != NULL, root = rank == 1;
	if (p == &places[GRID]) return NEIGHBOR;
	if (p->over) return !rooted ? INTER_ALL : rank >= 2 ? INTER_FAR : root ? INTER_ROOT : INTER_OTHER;
	if (rooted) return !root ? OTHER : p->in_place ? ROOT_IN_PLACE : ROOT;
	if (p->in_place) return ALL_IN_PLACE;
	return rank == 0 && o->significant[FIRST] ? FIRST : ALL;
}

/* there tells whether there is the operation at a place. */
static int there(const struct operation *o, const struct place *p) {
	if (p == &places[GRID]) return o->significant[NEIGHBOR] != NULL;
	if (p->over) return o->significant[INTER_ALL] || o->significant[INTER_ROOT];
	if (p->in_place) return o->significant[ALL_IN_PLACE] || o->significant[ROOT_IN_PLACE];
	return o->significant[ALL] || o->significant[ROOT];
}

/* The arguments of a right call, all of them. */
static struct args a;
static int s[WORDS], r[WORDS], ns[4], ds[4], bytes[4];
static MPI_Count nsc[4];
static MPI_Aint dsc[4], bytesc[4];
static MPI_Datatype types[4];

static int is(const struct operation *o, const char *name) { return !strcmp(o->name, name); }

static void right(const struct operation *o, const struct place *p, enum role role) {
	int wide = strchr(o->name, 'w') != NULL; /* displacements are in bytes */
	for (int i = 0; i < 4; i++) {
		ns[i] = nsc[i] = N;
		ds[i] = dsc[i] = N * i;
		bytes[i] = bytesc[i] = N * i * sizeof(int);
		types[i] = MPI_INT;
	}
	for (int i = 0; i < WORDS; i++) {
		s[i] = number(rank, i);
		r[i] = p->in_place ? number(rank, i) : -1;
	}
	struct args right = {s, r, N, N, ns, ns, wide ? bytes : ds, wide ? bytes : ds, nsc, nsc, wide ? bytesc : dsc,
		wide ? bytesc : dsc,
		MPI_INT, MPI_INT, types, types, MPI_SUM, 1, p->comm};
	a = right;
	if (role == INTER_ROOT) a.root = MPI_ROOT;
	if (role == INTER_OTHER) a.root = MPI_PROC_NULL;
	if (role == ROOT_IN_PLACE && !strncmp(o->name, "scatter", 7)) a.r = MPI_IN_PLACE;
	else if (role == ROOT_IN_PLACE || role == ALL_IN_PLACE) a.s = MPI_IN_PLACE;
}

/* result tells whether the buffers have what they are to have after a call. */
static int result(const struct operation *o, const struct place *p, enum role role) {
	int first = p->over && rank < 2 ? 2 : 0, peers = p->over ? 2 : 4, me = p->over ? rank % 2 : rank;
	int at_root = role == ROOT || role == ROOT_IN_PLACE || role == INTER_ROOT;
	int gather = strstr(o->name, "gather") != NULL, right = 1;
	for (int i = 0; i < N; i++) {
		if (is(o, "bcast")) {
			if (role != INTER_OTHER) right &= s[i] == number(1, i);
			continue;
		}
		if (!strncmp(o->name, "scatter", 7)) {
			if (role != INTER_ROOT && role != INTER_OTHER && role != ROOT_IN_PLACE)
				right &= r[i] == number(1, N * me + i);
			continue;
		}
		if (gather || strstr(o->name, "alltoall")) {
			if (gather && o->significant[ROOT] && !at_root) continue;
			for (int b = 0; b < (role == NEIGHBOR ? 2 : peers); b++) {
				int from = role == NEIGHBOR ? wanted[b] : first + b, block = gather ? 0 : role == NEIGHBOR ? 1 - b : me;
				if (gather && (role == ALL_IN_PLACE || (role == ROOT_IN_PLACE && from == rank))) block = from;
				right &= r[N * b + i] == number(from, N * block + i);
			}
			continue;
		}
		if (is(o, "reduce") && !at_root) continue;
		if (role == FIRST || (is(o, "exscan") && rank == 0)) continue;
		int sum = 0, last = is(o, "scan") ? me : is(o, "exscan") ? me - 1 : peers - 1;
		for (int from = first; from <= first + last; from++)
			sum += number(from, strncmp(o->name, "reduce_scatter", 14) ? i : N * me + i);
		right &= r[i] == sum;
	}
	return right;
}

/* spoil makes an argument what it must not be. There are several kinds of garbage. */
static int minus[4] = {-7, -7, -7, -7};
static MPI_Count minusc[4] = {-7, -7, -7, -7};
static MPI_Datatype nulls[4]; /* filled in main */
enum { NULLS, FREED, STRANGE, GARBAGE };

static void spoil(char letter, int kind) {
	void *wild[] = {NULL, (void *)8, (void *)0x5a5a5a5a5000};
	void *buffers[] = {NULL, (void *)8, MPI_IN_PLACE};
	int counts[] = {-7, INT_MIN, INT_MAX};
	MPI_Datatype handles[] = {MPI_DATATYPE_NULL, freed_type, loose_type};
	MPI_Op ops[] = {MPI_OP_NULL, freed_op, other_op};
	switch (letter) {
	case 'S': a.s = buffers[kind]; break;
	case 'R': a.r = buffers[kind]; break;
	case 'N': a.sn = counts[kind], a.sns = wild[kind], a.snsc = wild[kind]; break;
	case 'n': a.rn = counts[kind], a.rns = wild[kind], a.rnsc = wild[kind]; break;
	case 'D': a.sds = wild[kind], a.sdsc = wild[kind]; break;
	case 'd': a.rds = wild[kind], a.rdsc = wild[kind]; break;
	case 'T': a.st = handles[kind], a.sts = wild[kind]; break;
	case 't': a.rt = handles[kind], a.rts = wild[kind]; break;
	case 'O': a.op = ops[kind]; break;
	}
}

/* fail says what went wrong and ends the job. */
static void fail(const struct operation *o, int form, const struct place *p, const char *what, char letter, int rc) {
	fprintf(stderr, "rank %d: %s, form %d, place %d: %s, argument %c, code %d\n", rank, o->name, form,
		(int)(p - places), what, letter ? letter : '-', rc);
	exit(77);
}

/* do_right makes a right call, in which what is not significant is garbage of a kind; -1: nothing is. */
static void do_right(const struct operation *o, int form, const struct place *p, int kind) {
	enum role role = role_of(o, p);
	right(o, p, role);
	for (const char *l = "SNDTRndtO"; kind >= 0 && *l; l++) {
		int marks = (*l == 'S' && a.s == MPI_IN_PLACE) || (*l == 'R' && a.r == MPI_IN_PLACE);
		if (!strchr(o->significant[role], *l) && !marks) spoil(*l, kind);
	}
	int rc = o->call(&a, form);
	if (rc || !result(o, p, role))
		fail(o, form, p, rc ? "a right call fails" : "a right call has a wrong result", 0, rc);
	cases++;
}

/* class_of is the class of the error that a wrong argument is. */
static int class_of(char letter) {
	switch (letter) {
	case 'S': case 'R': return MPI_ERR_BUFFER;
	case 'N': case 'n': return MPI_ERR_COUNT;
	case 'T': case 't': return MPI_ERR_TYPE;
	case 'O': return MPI_ERR_OP;
	case 'r': return MPI_ERR_ROOT;
	case 'c': return MPI_ERR_COMM;
	}
	return MPI_ERR_ARG;
}

/* wrong makes one significant argument of a right call wrong. It returns the class of the error. */
static int wrong(const struct operation *o, char letter, int kind) {
	int array = strchr(o->arrays, letter) != NULL;
	switch (letter) {
	case 'r': a.root = kind ? -77 : 77; return MPI_ERR_ROOT;
	case 'c': a.comm = MPI_COMM_NULL; return MPI_ERR_COMM;
	case 'N': case 'n':
		if (!array || !kind) break;
		if (letter == 'N') a.sns = minus, a.snsc = minusc;
		else a.rns = minus, a.rnsc = minusc;
		return MPI_ERR_COUNT;
	case 'T': case 't':
		if (!array || !kind) break;
		if (letter == 'T') a.sts = nulls;
		else a.rts = nulls;
		return MPI_ERR_TYPE;
	case 'S': case 'R': kind = NULLS; break;
	}
	spoil(letter, array ? NULLS : kind);
	return array ? MPI_ERR_ARG : class_of(letter);
}

/* who is the rank that makes wrong calls of a role at a place, -1 if no rank has the role. */
static int who(const struct operation *o, const struct place *p, enum role role) {
	int mine = role_of(o, p) == role ? rank : -1, most;
	OK(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	return most;
}

/* letters are the arguments that are significant for a role: in r and c also a root and the communicator. */
static const char *letters(const struct operation *o, enum role role, char *list) {
	sprintf(list, "%s%sc", o->significant[role], o->significant[ROOT] ? "r" : "");
	return list;
}

/* refused has one rank make wrong calls, each argument in turn, and the others right ones. Then all make right ones. */
static void refused(const struct operation *o, int form, const struct place *p, enum role role) {
	char list[20];
	int culprit = o->significant[role] ? who(o, p, role) : -1;
	if (culprit < 0) return;
	for (const char *l = letters(o, role, list); *l; l++) {
		for (int kind = NULLS; kind <= FREED; kind++) {
			if (culprit != rank && *l == 'c') continue;
			right(o, p, role_of(o, p));
			int want = culprit == rank ? wrong(o, *l, kind) : MPI_ERR_OTHER, class = 0, rc = o->call(&a, form);
			MPI_Error_class(rc, &class);
			if (culprit == rank && class != want)
				fail(o, form, p, "a wrong argument has another class", *l, class);
			if (culprit != rank && (check || form >= PERSISTENT) && class != want)
				fail(o, form, p, "not told", *l, class);
			if (culprit != rank && class && class != want) fail(o, form, p, "told of another error", *l, class);
			if (culprit != rank && !rc && !result(o, p, role_of(o, p)))
				fail(o, form, p, "a right call without the culprit has a wrong result", *l, 0);
			cases++;
		}
	}
	do_right(o, form, p, -1);
}

/* told has all ranks make a call that is wrong at one. */
static void told(const struct operation *o, int form, const struct place *p, enum role role) {
	char list[20];
	int culprit = o->significant[role] ? who(o, p, role) : -1;
	if (culprit < 0) return;
	for (const char *l = letters(o, role, list); *l && *l != 'c'; l++) {
		right(o, p, role_of(o, p));
		int want = culprit == rank ? wrong(o, *l, NULLS) : MPI_ERR_OTHER, class = 0, rc = o->call(&a, form);
		MPI_Error_class(rc, &class);
		if (class != want)
			fail(o, form, p, culprit == rank ? "a wrong argument has another class" : "not told", *l, class);
		cases++;
		OK(MPI_Barrier(p->comm)); /* where the culprit goes on: the others are told */
	}
	do_right(o, form, p, -1);
}

/* make_places makes the communicators. */
static void make_places(void) {
	int four = 4, yes = 1;
	MPI_Comm half;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &places[0].comm));
	places[1].comm = places[0].comm;
	OK(MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1, &places[2].comm));
	OK(MPI_Comm_free(&half));
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &four, &yes, 0, &places[GRID].comm));
	OK(MPI_Cart_shift(places[GRID].comm, 0, 1, &wanted[0], &wanted[1]));
	for (int i = 0; i < PLACES; i++) OK(MPI_Comm_set_errhandler(places[i].comm, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)); /* it gets those of MPI_COMM_NULL */
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

static void sum(void *in, void *inout, int *n, MPI_Datatype *type) {
	for (int i = 0; i < *n; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
	join(MPI_THREAD_SINGLE);
	CHECK(size == 4);
	make_places();
	OK(MPI_Type_contiguous(3, MPI_INT, &loose_type)); /* never committed */
	OK(MPI_Type_contiguous(5, MPI_INT, &freed_type));
	MPI_Datatype copy = freed_type;
	OK(MPI_Type_free(&copy));
	OK(MPI_Op_create(sum, 0, &other_op));
	OK(MPI_Op_create(sum, 1, &freed_op));
	MPI_Op operator= freed_op;
	OK(MPI_Op_free(&operator));
	for (int i = 0; i < 4; i++) nulls[i] = MPI_DATATYPE_NULL;
	check = argc > 1 && !strcmp(argv[1], "check");
	for (int i = 0; i < OPERATIONS; i++)
		for (int form = 0; form < FORMS; form++)
			for (int p = 0; p < PLACES; p++) {
				if (!there(&operations[i], &places[p])) continue;
				for (int kind = 0; kind < GARBAGE; kind++) do_right(&operations[i], form, &places[p], kind);
				for (enum role role = 0; role < ROLES; role++) {
					refused(&operations[i], form, &places[p], role);
					if (check) told(&operations[i], form, &places[p], role);
				}
			}
	int all = 0;
	OK(MPI_Reduce(&cases, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
	if (rank == 0) printf("%d operations, %d calls\n", OPERATIONS, all);
	OK(MPI_Comm_free(&places[0].comm));
	OK(MPI_Comm_free(&places[2].comm));
	OK(MPI_Comm_free(&places[GRID].comm));
	OK(MPI_Type_free(&loose_type));
	OK(MPI_Op_free(&other_op));
	OK(MPI_Finalize());
	return 0;
}
