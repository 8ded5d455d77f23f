/* Two jobs that meet at a port. jobs accept KIND prints a port, jobs connect KIND PORT connects to it. */
#include <mpi.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int rank, size, accepts;

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s, rank %d of %d, line %d: not %s\n", accepts ? "accept" : "connect", rank, size, \
				__LINE__, #what); \
			abort(); \
		} \
	} while (0)

static int class_of(int error) {
	int class;
	MPI_Error_class(error, &class);
	return class;
}

/* exchange sends messages of all protocols between all ranks of one job and all of the other. */
static void exchange(MPI_Comm inter, int remote) {
	MPI_Request *r = malloc(2 * remote * sizeof(MPI_Request));
	for (int length = 1; length <= 1 << 20; length <<= 5) {
		char *out = malloc(length), *in = malloc((size_t)length * remote);
		memset(out, 10 * accepts + rank + 1, length);
		for (int i = 0; i < remote; i++) {
			MPI_Irecv(in + (size_t)length * i, length, MPI_CHAR, i, 3, inter, &r[2 * i]);
			MPI_Isend(out, length, MPI_CHAR, i, 3, inter, &r[2 * i + 1]);
		}
		MPI_Waitall(2 * remote, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < remote; i++)
			for (int at = 0; at < length; at++) CHECK(in[(size_t)length * i + at] == 10 * !accepts + i + 1);
		free(out), free(in);
	}
	free(r);
	for (int i = 0, got; i < 100; i++) {
		MPI_Status s;
		if (accepts && rank == 0) {
			MPI_Send(&i, 1, MPI_INT, i % remote, 4, inter);
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &s);
			CHECK(got == i + 1 && s.MPI_SOURCE == i % remote);
		} else if (!accepts && i % size == rank) {
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &s);
			got++;
			MPI_Send(&got, 1, MPI_INT, s.MPI_SOURCE, 4, inter);
		}
	}
}

/* together makes communicators of ranks of both jobs, and uses them. */
static void together(MPI_Comm inter, int remote) {
	MPI_Comm all, part, copy, node;
	int total, place, sum, most, parts, here, word = accepts ? 77 : 0;
	int root = accepts ? rank == 0 ? MPI_ROOT : MPI_PROC_NULL : 0;
	MPI_Bcast(&word, 1, MPI_INT, root, inter);
	CHECK(word == 77);
	int one = 1;
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
	CHECK(sum == remote);
	MPI_Barrier(inter);
	MPI_Intercomm_merge(inter, !accepts, &all);
	MPI_Comm_size(all, &total);
	MPI_Comm_rank(all, &place);
	CHECK(total == size + remote && place == rank + (accepts ? 0 : remote));
	MPI_Comm_dup(all, &copy);
	MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Allreduce(&place, &most, 1, MPI_INT, MPI_MAX, copy);
	CHECK(sum == total * (total - 1) / 2 && most == total - 1);
	double *big = calloc(total, 8 * 20000);
	for (int i = 0; i < 20000; i++) big[place * 20000 + i] = place + i;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, big, 20000, MPI_DOUBLE, copy);
	for (int i = 0; i < total; i++) CHECK(big[i * 20000 + 19999] == i + 19999);
	MPI_Allreduce(MPI_IN_PLACE, big, total * 20000, MPI_DOUBLE, MPI_SUM, all);
	CHECK(big[0] == 0 && big[1] == total);
	free(big);
	MPI_Comm_split(all, place % 2, -place, &part);
	MPI_Comm_size(part, &parts);
	CHECK(parts == (total + (place % 2 == 0)) / 2);
	MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_MIN, part);
	CHECK(sum == place % 2);
	MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &parts);
	MPI_Comm_free(&node);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &here);
	CHECK(parts == here);
	MPI_Win win;
	MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
	CHECK(MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, all, &win) != MPI_SUCCESS);
	MPI_Comm_free(&node), MPI_Comm_free(&part), MPI_Comm_free(&copy), MPI_Comm_free(&all);
}

static void meet(char *port, MPI_Comm *inter) {
	if (accepts) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter);
	else MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter);
}

/* survive waits for a rank of the other job, which ends. */
static void survive(const char *kind, MPI_Comm inter, int remote) {
	char text[MPI_MAX_ERROR_STRING];
	int length, got, error;
	MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (strcmp(kind, "barrier") == 0) error = MPI_Barrier(inter);
	else if (strcmp(kind, "any") == 0) error = MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 9, inter, MPI_STATUS_IGNORE);
	else if (strcmp(kind, "disconnect") == 0) error = MPI_Comm_disconnect(&inter);
	else error = MPI_Recv(&got, 1, MPI_INT, remote - 1, 9, inter, MPI_STATUS_IGNORE);
	CHECK(class_of(error) == MPI_ERR_PROC_ABORTED);
	MPI_Error_string(error, text, &length);
	if (rank == 0) printf("%s\n", text), fflush(stdout);
}

/* joined makes an intercommunicator of both ranks 0 by a socket, which the one that accepts prints. */
static MPI_Comm joined(const char *number) {
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	MPI_Comm inter;
	if (accepts) {
		CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 1) == 0);
		CHECK(getsockname(fd, (struct sockaddr *)&at, &length) == 0);
		printf("%d\n", ntohs(at.sin_port)), fflush(stdout);
		fd = accept(fd, NULL, NULL);
	} else {
		at.sin_port = htons(atoi(number));
		CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	}
	MPI_Comm_join(fd, &inter);
	return inter;
}

enum { meetings = 40 }; /* of each thread */

static char *common; /* the port of all threads */

/* meets makes one thread meet threads of the other job, many times. No thread knows in advance which one it meets. */
static void *meets(void *of) {
	for (int i = 0; i < meetings; i++) {
		MPI_Comm inter;
		int one = 1, sum = 0, remote, own;
		if (accepts) MPI_Comm_accept(common, MPI_INFO_NULL, 0, *(MPI_Comm *)of, &inter);
		else MPI_Comm_connect(common, MPI_INFO_NULL, 0, *(MPI_Comm *)of, &inter);
		MPI_Comm_remote_size(inter, &remote);
		MPI_Comm_size(inter, &own);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
		CHECK(sum == remote);
		MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_MAX, inter);
		CHECK(sum == remote);
		MPI_Comm_disconnect(&inter);
	}
	return NULL;
}

/* threads has two threads of the first rank meet two of the other job's at one port: one alone, one with all ranks. */
static void threads(char *port) {
	MPI_Comm of[2];
	pthread_t t[2];
	common = port;
	MPI_Comm_dup(MPI_COMM_WORLD, &of[0]);
	MPI_Comm_dup(MPI_COMM_SELF, &of[1]);
	for (int i = 0; i < (rank ? 1 : 2); i++) pthread_create(&t[i], NULL, meets, &of[i]);
	for (int i = 0; i < (rank ? 1 : 2); i++) pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++) MPI_Comm_free(&of[i]);
}

static void *refused(void *self) {
	MPI_Comm inter;
	MPI_Comm_set_errhandler(*(MPI_Comm *)self, MPI_ERRORS_RETURN);
	CHECK(class_of(MPI_Comm_accept(common, MPI_INFO_NULL, 0, *(MPI_Comm *)self, &inter)) == MPI_ERR_PORT);
	return NULL;
}

/* closing closes ports at different moments while two threads accept there. */
static void closing(void) {
	for (int i = 0; i < 20; i++) {
		char port[MPI_MAX_PORT_NAME];
		MPI_Comm selfs[2];
		pthread_t t[2];
		MPI_Open_port(MPI_INFO_NULL, port);
		common = port;
		for (int j = 0; j < 2; j++) MPI_Comm_dup(MPI_COMM_SELF, &selfs[j]);
		for (int j = 0; j < 2; j++) pthread_create(&t[j], NULL, refused, &selfs[j]);
		usleep(1000 * i);
		MPI_Close_port(port);
		for (int j = 0; j < 2; j++) pthread_join(t[j], NULL);
		for (int j = 0; j < 2; j++) MPI_Comm_free(&selfs[j]);
	}
}

int main(int argc, char **argv) {
	MPI_Comm inter;
	char port[MPI_MAX_PORT_NAME] = "", *kind = argv[2];
	int remote, provided, several = strcmp(kind, "threads") == 0 || strcmp(kind, "closing") == 0;
	accepts = strcmp(argv[1], "accept") == 0;
	MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(kind, "closing") == 0) {
		closing();
		MPI_Finalize();
		return 0;
	}
	if (strcmp(kind, "silent") == 0) { /* the process at the other end of a socket says nothing */
		int ends[2];
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		if (rank == 0) MPI_Comm_join(ends[0], &inter);
		MPI_Finalize();
		return 0;
	}
	if (strcmp(kind, "broken") == 0) { /* the process at the other end of a socket has closed it */
		int ends[2];
		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && close(ends[1]) == 0);
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
		CHECK(MPI_Comm_join(ends[0], &inter) != MPI_SUCCESS);
		MPI_Finalize();
		return 0;
	}
	if (strcmp(kind, "join") == 0) {
		if (rank == 0) {
			inter = joined(argc > 3 ? argv[3] : "");
			MPI_Comm_remote_size(inter, &remote);
			CHECK(remote == 1);
			MPI_Sendrecv(&accepts, 1, MPI_INT, 0, 1, &remote, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
			CHECK(remote == !accepts);
			MPI_Comm_disconnect(&inter);
		}
		MPI_Finalize();
		return 0;
	}
	if (accepts && rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		if (strcmp(kind, "named") == 0) MPI_Publish_name(argv[3], MPI_INFO_NULL, port);
		printf("%s\n", port), fflush(stdout);
	} else if (!accepts && rank == 0) {
		if (strcmp(kind, "named") == 0) MPI_Lookup_name(argv[3], MPI_INFO_NULL, port);
		else strcpy(port, argv[3]);
	}
	if (strcmp(kind, "late") == 0) { /* who connects gives up, and connects again when it is told to */
		char line[8];
		MPI_Info info;
		MPI_Info_create(&info);
		MPI_Info_set(info, "timeout", "0.5");
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		if (!accepts) CHECK(class_of(MPI_Comm_connect(port, info, 0, MPI_COMM_WORLD, &inter)) == MPI_ERR_PORT);
		MPI_Info_free(&info);
		if (!accepts && rank == 0) printf("late\n"), fflush(stdout);
		CHECK(rank > 0 || fgets(line, sizeof(line), stdin));
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
		meet(port, &inter);
		MPI_Comm_disconnect(&inter);
		MPI_Finalize();
		return 0;
	}
	if (several) {
		threads(port);
		MPI_Finalize();
		return 0;
	}
	if (strcmp(kind, "closed") == 0) {
		if (accepts) {
			char line[8];
			CHECK(rank > 0 || fgets(line, sizeof(line), stdin));
			if (rank == 0) MPI_Close_port(port);
			MPI_Barrier(MPI_COMM_WORLD);
		} else {
			MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
			if (rank == 0) printf("asks\n"), fflush(stdout);
			CHECK(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) == MPI_ERR_PORT);
		}
		MPI_Finalize();
		return 0;
	}
	if (strcmp(kind, "busy") == 0) { /* the rank of the port waits for one that computes */
		if (!accepts) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
		while (rank > 0) pause();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (strcmp(kind, "unreached") == 0) { /* a rank of those that accept can open no socket: all fail */
		char text[MPI_MAX_ERROR_STRING];
		int length, error;
		struct rlimit none = {0, 0};
		CHECK(!accepts || rank == 0 || setrlimit(RLIMIT_NOFILE, &none) == 0);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		if (accepts) error = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
		else error = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
		CHECK(class_of(error) == MPI_ERR_PORT);
		MPI_Error_string(error, text, &length);
		printf("%s\n", text), fflush(stdout);
		MPI_Finalize();
		return 0;
	}
	for (int i = 0; i < (strcmp(kind, "named") == 0 ? 2 : 1); i++) {
		meet(port, &inter);
		MPI_Comm_remote_size(inter, &remote);
		exchange(inter, remote);
		together(inter, remote);
		if (strcmp(kind, "left") == 0) {
			static char lasting[1 << 20];
			MPI_Request r;
			MPI_Isend(lasting, sizeof(lasting), MPI_CHAR, 0, 9, inter, &r);
			MPI_Request_free(&r);
			break;
		}
		if (strcmp(kind, "talk") != 0 && strcmp(kind, "named") != 0) {
			if (accepts) survive(kind, inter, remote);
			else if (rank == size - 1) {
				printf("there\n"), fflush(stdout);
				for (;;) pause();
			} else MPI_Barrier(MPI_COMM_WORLD);
			break;
		}
		MPI_Comm_disconnect(&inter);
	}
	MPI_Finalize();
	return 0;
}
