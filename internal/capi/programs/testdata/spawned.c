/* Ranks that start others. spawned KIND runs a case as the parents; their children are "spawned child KIND ...". */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;
static char *self;

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "rank %d of %d, line %d: not %s\n", rank, size, __LINE__, #what); \
			abort(); \
		} \
	} while (0)

static int class_of(int error) {
	int class;
	MPI_Error_class(error, &class);
	return class;
}

/* spawn starts n children of a kind, and checks that all are there. */
static MPI_Comm spawn(const char *kind, int n) {
	MPI_Comm inter;
	int codes[64], remote;
	for (int i = 0; i < 64; i++) codes[i] = -1;
	CHECK(MPI_Comm_spawn(self, (char *[]){"child", (char *)kind, "", "last", NULL}, n, MPI_INFO_NULL, size - 1,
		MPI_COMM_WORLD, &inter, codes) == MPI_SUCCESS);
	MPI_Comm_remote_size(inter, &remote);
	CHECK(remote == n);
	for (int i = 0; i < n; i++) CHECK(codes[i] == MPI_SUCCESS);
	CHECK(codes[n] == -1);
	return inter;
}

/* talk checks messages and collective operations of two worlds: across, in a merged communicator, and in this world. */
static void talk(MPI_Comm inter, int high) {
	MPI_Comm all;
	int remote, sum, want, one = 1, total, place;
	MPI_Comm_remote_size(inter, &remote);
	MPI_Request *r = malloc(2 * remote * sizeof(MPI_Request));
	for (int length = 1; length <= 1 << 20; length <<= 10) {
		char *out = malloc(length), *in = malloc((size_t)length * remote);
		memset(out, rank + 1, length);
		for (int i = 0; i < remote; i++) {
			MPI_Irecv(in + (size_t)length * i, length, MPI_CHAR, i, 3, inter, &r[2 * i]);
			MPI_Isend(out, length, MPI_CHAR, i, 3, inter, &r[2 * i + 1]);
		}
		MPI_Waitall(2 * remote, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < remote; i++)
			CHECK(in[(size_t)length * i] == i + 1 && in[(size_t)length * i + length - 1] == i + 1);
		free(out), free(in);
	}
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
	CHECK(sum == remote);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(sum == size * (size - 1) / 2);
	MPI_Intercomm_merge(inter, high, &all);
	MPI_Comm_size(all, &total);
	MPI_Comm_rank(all, &place);
	CHECK(total == size + remote && place == rank + (high ? remote : 0));
	MPI_Iallreduce(&place, &want, 1, MPI_INT, MPI_SUM, all, r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, all);
	CHECK(sum == total * (total - 1) / 2 && want == sum);
	char *big = calloc(total, 100000);
	memset(big + place * 100000, place + 1, 100000);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, big, 100000, MPI_CHAR, all);
	for (int i = 0; i < total; i++) CHECK(big[i * 100000] == i + 1 && big[i * 100000 + 99999] == i + 1);
	free(big), free(r);
	MPI_Comm_free(&all);
}

/* What is wrong is an error on all ranks, and nothing is left of it. */
static void refused(void) {
	MPI_Comm inter = MPI_COMM_WORLD;
	MPI_Info info;
	int codes[3], error;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	const struct { const char *program, *key, *value; int n; const char *named; } cases[] = {
		{"./no-such-program", 0, 0, 2}, {"no-such-program", 0, 0, 2}, {"/etc/passwd", 0, 0, 2}, {"/tmp", 0, 0, 2},
		{self, "wdir", "/no/such/directory", 2}, {self, "soft", "x", 2}, {self, "host", "elsewhere.invalid", 2},
		{self, 0, 0, 100000}, {self, 0, 0, 40, "has room for 40 ranks in all, and has had "},
		{"no-such-program", "path", "/no/such/path", 2, "/no/such/path"},
		{"group", "path", "/no/such/path:/etc", 2, "/etc/group"}, {"etc", "path", "/", 2, "/etc"},
		{"", 0, 0, 2, "is empty"},
	};
	int *universe, limited; /* a program that was started alone may start more */
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &limited);
	limited = limited && *universe == 40;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].n == 40 && !limited) continue;
		MPI_Info_create(&info);
		if (cases[i].key) MPI_Info_set(info, cases[i].key, cases[i].value);
		for (int k = 0; k < 3; k++) codes[k] = 77;
		error = MPI_Comm_spawn((char *)cases[i].program, MPI_ARGV_NULL, cases[i].n, info, 0, MPI_COMM_WORLD, &inter,
			cases[i].n > 2 ? MPI_ERRCODES_IGNORE : codes);
		CHECK(class_of(error) == MPI_ERR_SPAWN);
		CHECK(inter == MPI_COMM_NULL);
		if (cases[i].n == 2) CHECK(codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
		CHECK(codes[2] == 77);
		char text[MPI_MAX_ERROR_STRING];
		int length;
		MPI_Error_string(error, text, &length);
		CHECK(!cases[i].named || strstr(text, cases[i].named));
		MPI_Info_free(&info);
	}
	CHECK(class_of(MPI_Comm_spawn(self, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes)) !=
		MPI_SUCCESS);
	char port[MPI_MAX_PORT_NAME];
	CHECK(class_of(MPI_Comm_connect("nonsense", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) == MPI_ERR_PORT);
	CHECK(class_of(MPI_Comm_accept("gopvas:1:0:1", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) == MPI_ERR_PORT);
	info = rank == 0 ? (MPI_Info)MPI_COMM_WORLD : MPI_INFO_NULL;
	CHECK(class_of(MPI_Comm_connect("nonsense", info, 0, MPI_COMM_WORLD, &inter)) ==
		(rank == 0 ? MPI_ERR_INFO : MPI_ERR_OTHER));
	CHECK(class_of(MPI_Close_port("gopvas:1:0:1")) == MPI_ERR_PORT);
	CHECK(class_of(MPI_Lookup_name("nobody", MPI_INFO_NULL, port)) == MPI_ERR_NAME);
	CHECK(class_of(MPI_Unpublish_name("nobody", MPI_INFO_NULL, "x")) == MPI_ERR_SERVICE);
}

/* The keys of an info, and several programs at once. */
static void keys(void) {
	MPI_Comm inter;
	MPI_Info info[2];
	int codes[5], remote;
	char base[4096], *slash;
	MPI_Info_create(&info[0]);
	MPI_Info_create(&info[1]);
	MPI_Info_set(info[0], "wdir", "/");
	MPI_Info_set(info[0], "soft", "2,9:20");
	strcpy(base, self);
	slash = strrchr(base, '/');
	*slash = 0;
	MPI_Info_set(info[1], "path", base);
	MPI_Info_set(info[1], "unknown", "ignored");
	char *commands[] = {self, slash + 1}, *first[] = {"child", "keys", "0", NULL};
	char *second[] = {"child", "keys", "1", NULL};
	char **argvs[] = {first, second};
	MPI_Comm_spawn_multiple(2, commands, argvs, (int[]){3, 2}, info, 0, MPI_COMM_WORLD, &inter, codes);
	MPI_Comm_remote_size(inter, &remote);
	CHECK(remote == 4);
	CHECK(codes[1] == MPI_SUCCESS && codes[2] == MPI_ERR_SPAWN && codes[4] == MPI_SUCCESS);
	talk(inter, 0);
	MPI_Comm_disconnect(&inter);
	MPI_Info_free(&info[0]), MPI_Info_free(&info[1]);
}

static void keys_child(MPI_Comm parent, const char *number) {
	int *app, flag;
	char dir[4096];
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
	CHECK(flag && *app == atoi(number) && *app == (rank >= 2));
	CHECK(getcwd(dir, sizeof(dir)) && (strcmp(dir, "/") == 0) == (*app == 0));
	talk(parent, 1);
	MPI_Comm_disconnect(&parent);
}

/* Children start children, and meet the first world at a port. */
static void generations(void) {
	MPI_Comm inter = spawn("middle", 2), other;
	char port[MPI_MAX_PORT_NAME];
	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Publish_name("grandparents", MPI_INFO_NULL, port);
	}
	MPI_Barrier(inter);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
	talk(other, 0);
	MPI_Comm_disconnect(&other);
	if (rank == 0) {
		MPI_Unpublish_name("grandparents", MPI_INFO_NULL, port);
		MPI_Close_port(port);
	}
	MPI_Comm_disconnect(&inter);
}

static void generations_child(MPI_Comm parent, int last) {
	MPI_Comm inter;
	char port[MPI_MAX_PORT_NAME];
	if (!last) {
		MPI_Barrier(parent);
		inter = spawn("last", 3);
		talk(inter, 0);
		MPI_Comm_disconnect(&inter);
	} else {
		talk(parent, 1);
		if (rank == 1) MPI_Lookup_name("grandparents", MPI_INFO_NULL, port);
		MPI_Comm_connect(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter);
		talk(inter, 1);
		MPI_Comm_disconnect(&inter);
	}
	MPI_Comm_disconnect(&parent);
}

/* named: a port that is opened and published before this process is a job of several ranks. */
static void named(void) {
	MPI_Comm inter, other;
	char gone[MPI_MAX_PORT_NAME], port[MPI_MAX_PORT_NAME];
	MPI_Open_port(MPI_INFO_NULL, gone);
	MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Close_port(gone);
	MPI_Publish_name("early", MPI_INFO_NULL, port);
	inter = spawn("connects", 2);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
	talk(other, 0);
	MPI_Comm_disconnect(&other);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(class_of(MPI_Close_port(gone)) == MPI_ERR_PORT);
	CHECK(MPI_Unpublish_name("early", MPI_INFO_NULL, port) == MPI_SUCCESS && MPI_Close_port(port) == MPI_SUCCESS);
	MPI_Comm_disconnect(&inter);
}

static void named_child(MPI_Comm parent) {
	MPI_Comm inter;
	char port[MPI_MAX_PORT_NAME];
	MPI_Lookup_name("early", MPI_INFO_NULL, port);
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
	talk(inter, 1);
	MPI_Comm_disconnect(&inter);
	MPI_Comm_disconnect(&parent);
}

/* closed: who has asked at a port that is closed is told, whether it has asked before or after. */
static void closed(void) {
	MPI_Comm inter;
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < 20; i++) {
		if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
		if (rank > 0) {
			CHECK(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) == MPI_ERR_PORT);
			continue;
		}
		for (double since = MPI_Wtime(); i % 2 && MPI_Wtime() < since + 0.01;) usleep(1000);
		CHECK(MPI_Close_port(port) == MPI_SUCCESS);
	}
}

/* unwilling: children that end without MPI_Init are an error of MPI_Comm_spawn. */
static void unwilling(void) {
	MPI_Comm inter;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(class_of(MPI_Comm_spawn(self, (char *[]){"quit", NULL}, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		MPI_ERRCODES_IGNORE)) == MPI_ERR_SPAWN);
	inter = spawn("talk", 2);
	talk(inter, 0);
	MPI_Comm_disconnect(&inter);
}

/* What a rank has sent to another world before it ends is not lost: short messages, and a long one whose request is
   freed. */
enum { SHORTS = 400, SHORT = 1000, LONG = 1 << 20 };

static void leave_behind(MPI_Comm inter) {
	static char lasting[LONG];
	MPI_Request r;
	int pid = getpid();
	memset(lasting, 7, LONG);
	MPI_Send(&pid, 1, MPI_INT, rank, 3, inter);
	for (int i = 0; i < SHORTS; i++) MPI_Send(lasting, SHORT, MPI_CHAR, rank, 4, inter);
	MPI_Isend(lasting, LONG, MPI_CHAR, rank, 5, inter, &r);
	MPI_Request_free(&r);
}

/* collect receives that when the sender has had the time to end. */
static void collect(MPI_Comm inter) {
	static char got[LONG];
	int pid;
	MPI_Recv(&pid, 1, MPI_INT, rank, 3, inter, MPI_STATUS_IGNORE);
	for (double since = MPI_Wtime(); kill(pid, 0) == 0 && MPI_Wtime() < since + 0.5;) usleep(1000);
	for (int i = 0; i < SHORTS; i++) MPI_Recv(got, SHORT, MPI_CHAR, rank, 4, inter, MPI_STATUS_IGNORE);
	memset(got, 0, LONG);
	MPI_Recv(got, LONG, MPI_CHAR, rank, 5, inter, MPI_STATUS_IGNORE);
	CHECK(got[0] == 7 && got[LONG - 1] == 7);
}

/* script: the program is a file that names this one as its interpreter. */
static void script(void) {
	char path[4096], *program = self;
	snprintf(path, sizeof(path), "%s.%d.script", self, getppid());
	if (rank == size - 1) {
		FILE *f = fopen(path, "w");
		CHECK(f && fprintf(f, "#!%s\n", program) > 0 && fclose(f) == 0 && chmod(path, 0755) == 0);
	}
	self = path;
	MPI_Comm inter = spawn("talk", 2);
	self = program;
	if (rank == size - 1) unlink(path);
	talk(inter, 0);
	MPI_Comm_disconnect(&inter);
}

/* many: worlds one after the other. */
static void many(void) {
	for (int i = 0; i < 4; i++) {
		MPI_Comm inter = spawn("talk", 1 + i % 3);
		talk(inter, 0);
		MPI_Comm_disconnect(&inter);
	}
}

int main(int argc, char **argv) {
	MPI_Comm parent, inter;
	if (argc > 1 && strstr(argv[1], ".script")) argc--, argv++;
	const char *kind = argc > 1 ? argv[1] : "";
	if (strcmp(kind, "quit") == 0) return 0;
	if (strcmp(kind, "die") == 0) return 9;
	if (strcmp(kind, "child") == 0 && strcmp(argv[2], "killed early") == 0) raise(SIGKILL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	self = argv[0];
	MPI_Comm_get_parent(&parent);
	if (strcmp(kind, "child") == 0) {
		CHECK(argc >= 4 && parent != MPI_COMM_NULL && (argc < 5 || (argv[3][0] == 0 && strcmp(argv[4], "last") == 0)));
		kind = argv[2];
		if (strcmp(kind, "talk") == 0) talk(parent, 1), MPI_Comm_disconnect(&parent);
		if (strcmp(kind, "keys") == 0) keys_child(parent, argv[3]);
		if (strcmp(kind, "middle") == 0) generations_child(parent, 0);
		if (strcmp(kind, "connects") == 0) named_child(parent);
		if (strcmp(kind, "patient") == 0) printf("%d %d\n", getpid(), getppid()), fflush(stdout);
		if (strcmp(kind, "last") == 0) generations_child(parent, 1);
		if (strcmp(kind, "sender") == 0 || strcmp(kind, "deaf") == 0) leave_behind(parent);
		if (strcmp(kind, "receiver") == 0) collect(parent);
		if (kind[0] == 'a') {
			MPI_Comm_disconnect(&parent);
			if (rank == 1) strcmp(kind, "aborted") ? exit(9) : MPI_Abort(MPI_COMM_WORLD, 9);
			MPI_Barrier(MPI_COMM_WORLD);
		}
		if (strcmp(kind, "faithless") == 0 && rank == 1) exit(9);
		if (strcmp(kind, "faithless") == 0 || strcmp(kind, "stuck") == 0 || strcmp(kind, "patient") == 0)
			MPI_Recv(&rank, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
		MPI_Finalize();
		return 0;
	}
	CHECK(parent == MPI_COMM_NULL);
	if (strcmp(kind, "many") == 0) many();
	if (strcmp(kind, "script") == 0) script();
	if (strcmp(kind, "refused") == 0) refused();
	if (strcmp(kind, "keys") == 0) keys();
	if (strcmp(kind, "generations") == 0) generations();
	if (strcmp(kind, "unwilling") == 0) unwilling();
	if (strcmp(kind, "closed") == 0) closed();
	if (strcmp(kind, "named") == 0) named();
	if (strcmp(kind, "left behind") == 0) {
		collect(spawn("sender", size));
		leave_behind(spawn("receiver", size));
	}
	if (strcmp(kind, "deaf") == 0) leave_behind(spawn("deaf", size)); /* nobody receives, and all end */
	if (strcmp(kind, "killed early") == 0 || strcmp(kind, "dies") == 0) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		char *last = kind[0] == 'k' ? "child" : "die", text[MPI_MAX_ERROR_STRING];
		int length, error = MPI_Comm_spawn(self, (char *[]){last, "killed early", NULL}, 2, MPI_INFO_NULL, 0,
			MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
		CHECK(class_of(error) == MPI_ERR_SPAWN);
		MPI_Error_string(error, text, &length);
		CHECK(strstr(text, "/spawned-c) on "));
		CHECK(strstr(text, kind[0] == 'k' ? "was killed by signal 9" : "exited with code 9"));
		printf("still here\n");
	}
	if (strcmp(kind, "abandoned") == 0 || strcmp(kind, "aborted") == 0) {
		inter = spawn(kind, 3);
		MPI_Comm_disconnect(&inter);
		MPI_Barrier(MPI_COMM_WORLD);
		printf("still here\n");
	}
	if (strcmp(kind, "faithless") == 0 || strcmp(kind, "stuck") == 0 || strcmp(kind, "patient") == 0) {
		inter = spawn(kind, 2);
		MPI_Recv(&rank, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
	}
	if (strcmp(kind, "universe") == 0) {
		int *universe, *app, flag;
		MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
		CHECK(flag && *universe == atoi(argv[2]));
		MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
		CHECK(flag && *app == atoi(argv[3]));
	}
	MPI_Finalize();
	return 0;
}
