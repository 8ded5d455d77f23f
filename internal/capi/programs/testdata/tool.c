/* The tool information interface, before MPI_Init and after. */
#include "program.h"

static int index_of(const char *name, int class) {
	int i;
	OK(MPI_T_pvar_get_index(name, class, &i));
	return i;
}

/* All names have their index, and texts are cut to what there is room for. */
static void names(void) {
	int n, i, at, length, class;
	char name[64], cut[5] = "....";
	OK(MPI_T_cvar_get_num(&n));
	CHECK(n > 0);
	for (i = 0; i < n; i++) {
		length = sizeof name;
		OK(MPI_T_cvar_get_info(i, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
		CHECK(length == (int)strlen(name) + 1);
		OK(MPI_T_cvar_get_index(name, &at));
		CHECK(at == i);
	}
	OK(MPI_T_pvar_get_num(&n));
	for (i = 0; i < n; i++) {
		length = 4;
		OK(MPI_T_pvar_get_info(i, cut, &length, NULL, &class, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
		CHECK(strlen(cut) == 3 && length > 4 && cut[4] == 0);
		length = sizeof name;
		OK(MPI_T_pvar_get_info(i, name, &length, NULL, &class, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
		CHECK(index_of(name, class) == i);
	}
	CHECK(MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
		MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_cvar_get_index("no such", &at) == MPI_T_ERR_INVALID_NAME);
	OK(MPI_T_event_get_num(&n));
	CHECK(n == 0);
	OK(MPI_T_source_get_num(&n));
	CHECK(n == 0);
	MPI_T_event_registration r;
	MPI_Count ticks;
	CHECK(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_source_get_timestamp(0, &ticks) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_event_copy(NULL, name) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_category_get_index("messages", &i));
	OK(MPI_T_category_get_info(i, NULL, NULL, NULL, NULL, NULL, &n, NULL));
	CHECK(n > 0);
}

/* Each type of hardware that there is can be split by. */
static void hardware(void) {
	MPI_Info info, hint;
	MPI_Comm part;
	char key[MPI_MAX_INFO_KEY], value[8];
	int n, flag;
	OK(MPI_Get_hw_resource_info(&info));
	OK(MPI_Info_get_nkeys(info, &n));
	CHECK(n > 0);
	for (int i = 0; i < n; i++) {
		OK(MPI_Info_get_nthkey(info, i, key));
		OK(MPI_Info_get(info, key, sizeof value - 1, value, &flag));
		CHECK(flag && strcmp(value, "true") == 0);
		OK(MPI_Info_create(&hint));
		OK(MPI_Info_set(hint, "mpi_hw_resource_type", key));
		OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, hint, &part));
		CHECK(part != MPI_COMM_NULL);
		OK(MPI_Comm_free(&part));
		OK(MPI_Info_free(&hint));
	}
	OK(MPI_Info_free(&info));
}

static void control(void) {
	int i, count, value = 7;
	char text[2000];
	MPI_T_cvar_handle h;
	OK(MPI_T_cvar_get_index("eager_limit", &i));
	OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
	OK(MPI_T_cvar_read(h, &value));
	CHECK(count == 1 && value == 4096);
	CHECK(MPI_T_cvar_write(h, &value) == MPI_T_ERR_CVAR_SET_NEVER);
	OK(MPI_T_cvar_handle_free(&h));
	CHECK(h == MPI_T_CVAR_HANDLE_NULL && MPI_T_cvar_handle_free(&h) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_cvar_get_index("btl", &i));
	OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
	CHECK(count <= (int)sizeof text);
	OK(MPI_T_cvar_read(h, text));
	CHECK(strcmp(text, getenv("WANT_BTL")) == 0);
	OK(MPI_T_cvar_handle_free(&h));
}

static void performance(void) {
	MPI_T_pvar_session mine, other;
	MPI_T_pvar_handle received, highest;
	unsigned long long n;
	int count;
	OK(MPI_T_pvar_session_create(&mine));
	OK(MPI_T_pvar_session_create(&other));
	OK(MPI_T_pvar_handle_alloc(mine, index_of("received_messages", MPI_T_PVAR_CLASS_COUNTER), NULL, &received, &count));
	OK(MPI_T_pvar_handle_alloc(mine, index_of("unexpected_highest", MPI_T_PVAR_CLASS_HIGHWATERMARK), NULL,
		&highest, &count));
	ring(); /* is not counted */
	OK(MPI_T_pvar_start(mine, received));
	ring();
	ring();
	OK(MPI_T_pvar_stop(mine, MPI_T_PVAR_ALL_HANDLES));
	ring();
	OK(MPI_T_pvar_read(mine, received, &n));
	CHECK(n == 2);
	OK(MPI_T_pvar_reset(mine, received));
	OK(MPI_T_pvar_readreset(mine, received, &n));
	CHECK(n == 0);
	CHECK(MPI_T_pvar_start(mine, highest) == MPI_T_ERR_PVAR_NO_STARTSTOP);
	CHECK(MPI_T_pvar_write(mine, highest, &n) == MPI_T_ERR_PVAR_NO_WRITE);
	CHECK(MPI_T_pvar_read(other, received, &n) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_pvar_handle_free(mine, &highest));
	OK(MPI_T_pvar_session_free(&mine));
	CHECK(mine == MPI_T_PVAR_SESSION_NULL);
	CHECK(MPI_T_pvar_read(mine, received, &n) == MPI_T_ERR_INVALID_SESSION);
	OK(MPI_T_pvar_session_free(&other));
}

int main(void) {
	int provided, n;
	CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	names();
	join(MPI_THREAD_SINGLE);
	names();
	control();
	performance();
	hardware();
	OK(MPI_Finalize());
	names();
	OK(MPI_T_finalize());
	CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	return 0;
}
