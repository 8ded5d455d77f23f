/* Who makes something again and again has the memory of the first times. What has a size grows, from round to round of
 * GROWTH. The arguments are the task model, and a kind if it is not to be all. */
#include "program.h"
#include <sys/stat.h>
#include <unistd.h>

enum { GROWTH = 12, SLACK = 4 << 20 /* bytes a rank, of the heaps of Go and C */ };

static int left, right;
static char *space; /* of each rank, 16 MiB */

/* used is how much memory the job has: in one address space that of any rank. */
static double used(int together) {
	char line[64] = "";
	long pages = 0, skip;
	struct stat st;
	double mine, sum;
	FILE *f = fopen("/proc/self/statm", "r");
	CHECK(f && fgets(line, sizeof line, f) && sscanf(line, "%ld %ld", &skip, &pages) == 2);
	fclose(f);
	mine = (double)pages * sysconf(_SC_PAGESIZE);
	if (together)
		return mine;
	for (int fd = 0; fd < 64; fd++) { /* the memory of the job, which not all have mapped */
		char path[64], name[64] = "";
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (rank == 0 && readlink(path, name, sizeof name - 1) > 0 && strstr(name, "memfd:pvas-job") &&
		    fstat(fd, &st) == 0)
			mine += st.st_blocks * 512.0;
	}
	OK(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	return sum;
}

static MPI_Aint grown(int i, MPI_Aint least) {
	double bytes = least;
	for (int k = 0; k < i % GROWTH; k++)
		bytes *= 1.2;
	return (MPI_Aint)bytes;
}

static void window(int i) {
	char *base;
	MPI_Win w;
	MPI_Aint n = grown(i, 2 << 20);
	OK(MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	memset(base, 1, n);
	OK(MPI_Win_free(&w));
}

static void shared(int i) {
	char *base;
	MPI_Win w;
	MPI_Aint n = grown(i, 2 << 20);
	OK(MPI_Win_allocate_shared(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
	memset(base, 1, n);
	OK(MPI_Win_free(&w));
}

static void many_windows(int i) {
	enum { MANY = 40 };
	char *base;
	MPI_Win w[MANY];
	MPI_Aint n = grown(i, 16 << 10);
	for (int k = 0; k < MANY; k++) {
		OK(MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w[k]));
		memset(base, 1, n);
	}
	for (int k = 0; k < MANY; k++)
		OK(MPI_Win_free(&w[k]));
}

static void created_window(int i) {
	MPI_Aint n = grown(i, 1 << 20);
	char got[64];
	MPI_Win w;
	OK(MPI_Win_create(space, n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_fence(0, w));
	OK(MPI_Get(got, 64, MPI_BYTE, right, 0, 64, MPI_BYTE, w));
	OK(MPI_Win_fence(0, w));
	OK(MPI_Win_free(&w));
}

static void dynamic_window(int i) {
	MPI_Aint n = grown(i, 1 << 20);
	MPI_Win w;
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	OK(MPI_Win_attach(w, space, n));
	OK(MPI_Win_detach(w, space));
	OK(MPI_Win_free(&w));
}

static void allocated(int i) {
	MPI_Aint n = grown(i, i % 2 ? 2 << 20 : 100 << 10);
	char *memory;
	OK(MPI_Alloc_mem(n, MPI_INFO_NULL, &memory));
	memset(memory, 1, n);
	OK(MPI_Free_mem(memory));
}

static void communicators(int i) {
	MPI_Comm c, part, bound;
	MPI_Request q;
	int word = 1, sum;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_name(c, "again"));
	OK(MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, c));
	OK(MPI_Comm_split(c, rank % 2, -rank, &part));
	OK(MPI_Bcast(&word, 1, MPI_INT, 0, part));
	OK(MPI_Comm_free(&part));
	OK(MPI_Comm_idup(c, &bound, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	OK(MPI_Sendrecv(&word, 1, MPI_INT, right, 0, &sum, 1, MPI_INT, left, 0, bound, MPI_STATUS_IGNORE));
	OK(MPI_Ibarrier(bound, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	OK(MPI_Comm_free(&bound));
	OK(MPI_Comm_free(&c));
}

/* underway frees communicators, on which operations are underway or prepared. */
static void underway(int i) {
	MPI_Comm c, bound;
	MPI_Request q[4];
	int word = 1, sum, got;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Send_init(&word, 1, MPI_INT, right, 1, c, &q[3]));
	OK(MPI_Irecv(&got, 1, MPI_INT, left, 0, c, &q[0]));
	OK(MPI_Isend(&word, 1, MPI_INT, right, 0, c, &q[1]));
	OK(MPI_Comm_idup(c, &bound, &q[2]));
	OK(MPI_Comm_free(&c));
	OK(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
	OK(MPI_Request_free(&q[3]));
	OK(MPI_Iallreduce(&word, &sum, 1, MPI_INT, MPI_SUM, bound, &q[0]));
	OK(MPI_Comm_free(&bound));
	OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	CHECK(got == 1 && sum == size);
}

static void intercommunicators(int i) {
	MPI_Comm half, inter, merged;
	OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
	OK(MPI_Intercomm_merge(inter, rank % 2, &merged));
	OK(MPI_Barrier(merged));
	OK(MPI_Comm_free(&merged));
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&half));
}

static void topologies(int i) {
	MPI_Comm cart, graph;
	int dims[] = {size}, periods[] = {1}, weight = 1, in, out[2];
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart));
	OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, cart));
	OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &graph));
	OK(MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &in, 1, MPI_INT, graph));
	OK(MPI_Comm_free(&graph));
	OK(MPI_Comm_free(&cart));
}

static int deleted(MPI_Comm c, int key, void *value, void *extra) {
	free(value);
	return MPI_SUCCESS;
}

static void attributes(int i) {
	MPI_Comm c;
	MPI_Datatype type;
	int key, of_type;
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL));
	OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL));
	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_set_attr(c, key, malloc(100)));
	OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, malloc(100)));
	OK(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
	OK(MPI_Type_dup(MPI_INT, &type));
	OK(MPI_Type_set_attr(type, of_type, &key));
	OK(MPI_Type_free(&type));
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_free_keyval(&key));
	OK(MPI_Type_free_keyval(&of_type));
}

static void types(int i) {
	enum { MOST = 64 };
	int lengths[MOST], places[MOST], at[2 * MOST], to[2 * MOST] = {0};
	MPI_Datatype vector, indexed;
	for (int k = 0; k < MOST; k++)
		lengths[k] = 1, places[k] = 2 * k;
	memset(at, 1, sizeof at);
	OK(MPI_Type_vector(1 + i % MOST, 1, 2, MPI_INT, &vector));
	OK(MPI_Type_commit(&vector));
	OK(MPI_Type_indexed(1 + i % MOST, lengths, places, MPI_INT, &indexed));
	OK(MPI_Type_commit(&indexed));
	OK(MPI_Sendrecv(at, 1, vector, right, 0, to, 1, indexed, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Type_free(&vector));
	OK(MPI_Type_free(&indexed));
}

static void objects(int i) {
	MPI_Info info;
	MPI_Group all, some;
	MPI_Errhandler handler;
	MPI_Op op;
	char key[32];
	OK(MPI_Info_create(&info));
	snprintf(key, sizeof key, "key %d", i);
	OK(MPI_Info_set(info, key, "value"));
	OK(MPI_Comm_set_info(MPI_COMM_SELF, info));
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_incl(all, 1, &rank, &some));
	OK(MPI_Group_free(&some));
	OK(MPI_Group_free(&all));
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
	OK(MPI_Errhandler_free(&handler));
	OK(MPI_Op_create((MPI_User_function *)deleted, 1, &op));
	OK(MPI_Op_free(&op));
}

static int finished(void *extra, MPI_Status *status) { return MPI_SUCCESS; }
static int released(void *extra) { return MPI_SUCCESS; }
static int cancelled(void *extra, int complete) { return MPI_SUCCESS; }

static void requests(int i) {
	MPI_Request q[2];
	int out = i, in;
	OK(MPI_Irecv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &q[0]));
	OK(MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &q[1]));
	OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
	OK(MPI_Recv_init(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &q[0]));
	OK(MPI_Send_init(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &q[1]));
	OK(MPI_Startall(2, q));
	OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
	OK(MPI_Request_free(&q[0]));
	OK(MPI_Request_free(&q[1]));
	OK(MPI_Irecv(&in, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &q[0]));
	OK(MPI_Cancel(&q[0]));
	OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	OK(MPI_Grequest_start(finished, released, cancelled, NULL, &q[0]));
	OK(MPI_Grequest_complete(q[0]));
	OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	OK(MPI_Psend_init(&out, 1, 1, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]));
	OK(MPI_Precv_init(&in, 1, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]));
	OK(MPI_Startall(2, q));
	OK(MPI_Pready(0, q[0]));
	OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
	OK(MPI_Request_free(&q[0]));
	OK(MPI_Request_free(&q[1]));
}

static void messages(int i) {
	enum { BURST = 30 };
	MPI_Request q[BURST];
	MPI_Aint n = grown(i, 256 << (i % 10));
	for (int k = 0; k < BURST; k++)
		OK(MPI_Isend(space, (int)n, MPI_BYTE, right, k, MPI_COMM_WORLD, &q[k]));
	for (int k = BURST - 1; k >= 0; k--)
		OK(MPI_Recv(space + (8 << 20), (int)n, MPI_BYTE, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Waitall(BURST, q, MPI_STATUSES_IGNORE));
}

static void buffered(int i) {
	int n = (int)grown(i, 100 << 10), got;
	void *memory;
	OK(MPI_Buffer_attach(malloc(n + MPI_BSEND_OVERHEAD), n + MPI_BSEND_OVERHEAD));
	OK(MPI_Bsend(space, n, MPI_BYTE, right, 0, MPI_COMM_WORLD));
	OK(MPI_Recv(space + (8 << 20), n, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Buffer_detach(&memory, &got));
	free(memory);
}

static void collectives(int i) {
	MPI_Request q[3];
	char *in = space, *out = space + (8 << 20);
	int n = (int)grown(i, 1024 << (i % 8)) / 8;
	OK(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
	OK(MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, MPI_COMM_WORLD));
	OK(MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[0]));
	OK(MPI_Ibcast(in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &q[1]));
	OK(MPI_Ialltoall(in, n, MPI_DOUBLE, out + (4 << 20), n, MPI_DOUBLE, MPI_COMM_WORLD, &q[2]));
	OK(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
	OK(MPI_Allreduce_init(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]));
	OK(MPI_Start(&q[0]));
	OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
	OK(MPI_Request_free(&q[0]));
}

static void files(int i) {
	MPI_File f;
	MPI_Datatype strided;
	MPI_Request q;
	int n = (int)grown(i, 200 << 10) / 64 * 64;
	OK(MPI_File_open(MPI_COMM_WORLD, "repeats.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	OK(MPI_Type_vector(1000, 32, 64, MPI_BYTE, &strided));
	OK(MPI_Type_commit(&strided));
	OK(MPI_File_set_view(f, 32 * rank, MPI_BYTE, strided, "native", MPI_INFO_NULL));
	OK(MPI_File_write_at_all(f, 0, space, n, MPI_BYTE, MPI_STATUS_IGNORE));
	OK(MPI_File_iread_at(f, 0, space + (8 << 20), n, MPI_BYTE, &q));
	OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
	OK(MPI_Type_free(&strided));
	OK(MPI_File_close(&f));
}

static void sessions(int i) {
	MPI_Session s;
	MPI_Group all;
	MPI_Comm c;
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &all));
	OK(MPI_Comm_create_from_group(all, "repeats", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Barrier(c));
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_free(&all));
	OK(MPI_Session_finalize(&s));
}

static void errors(int i) {
	MPI_Errhandler handler;
	int class, code;
	OK(MPI_Add_error_class(&class));
	OK(MPI_Add_error_code(class, &code));
	OK(MPI_Add_error_string(code, "again"));
	OK(MPI_Remove_error_string(code));
	OK(MPI_Remove_error_code(code));
	OK(MPI_Remove_error_class(class));
	OK(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)deleted, &handler));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
	OK(MPI_Errhandler_free(&handler));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	CHECK(MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

static void ports(int i) {
	char port[MPI_MAX_PORT_NAME];
	OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Close_port(port));
}

static const struct {
	const char *name;
	int first; /* times, before the memory is looked at: windows give all of it back */
	int times;
	void (*make)(int i);
} kinds[] = {
	{"window", 1, 2 * GROWTH, window}, {"shared window", 1, 2 * GROWTH, shared},
	{"many windows", 4, GROWTH, many_windows}, {"created window", 1, 2 * GROWTH, created_window},
	{"dynamic window", 1, 2 * GROWTH, dynamic_window}, {"Alloc_mem", 1, 4 * GROWTH, allocated},
	{"communicators", 60, 300, communicators}, {"intercommunicators", 40, 200, intercommunicators},
	{"underway", 60, 900, underway},
	{"topologies", 60, 300, topologies}, {"attributes", 2000, 6000, attributes}, {"types", 400, 1600, types},
	{"objects", 2000, 6000, objects}, {"requests", 200, 800, requests}, {"messages", 3 * GROWTH, 9 * GROWTH, messages},
	{"buffered", GROWTH, 4 * GROWTH, buffered}, {"collectives", 2 * GROWTH, 6 * GROWTH, collectives},
	{"files", GROWTH, 4 * GROWTH, files}, {"sessions", 100, 300, sessions}, {"errors", 2000, 6000, errors},
	{"ports", 500, 1500, ports},
};

int main(int argc, char **argv) {
	int together = argc > 1 && strcmp(argv[1], "pvas") == 0, bad = 0;
	join(MPI_THREAD_SINGLE);
	left = (rank + size - 1) % size, right = (rank + 1) % size;
	space = malloc(16 << 20);
	memset(space, 1, 16 << 20); /* all of it has pages */
	memset(space, 0, 16 << 20);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		double before, after;
		int i = 0;
		if (argc > 2 && strcmp(argv[2], kinds[k].name) != 0)
			continue;
		for (; i < kinds[k].first; i++)
			kinds[k].make(i);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		before = used(together);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		for (; i < kinds[k].times; i++)
			kinds[k].make(i);
		OK(MPI_Barrier(MPI_COMM_WORLD));
		after = used(together);
		if (rank == 0)
			printf("%-20s %7.1f MiB, then %7.1f\n", kinds[k].name, before / 1048576, after / 1048576);
		if (rank == 0 && after > before + SLACK * size) {
			bad++;
			fprintf(stderr, "%s: %.1f MiB after %d times, %.1f after %d\n", kinds[k].name, before / 1048576,
				kinds[k].first, after / 1048576, i);
		}
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_Finalize());
	return bad;
}
