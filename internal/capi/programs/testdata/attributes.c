/* Callbacks of attributes that delete and set other attributes of the same object, and free keys. */
#include "program.h"

static int first, second, third, calls;
static char order[16]; /* which attributes were deleted, by the last digit of their values */

static void note(void *value) {
	CHECK(calls < 15);
	order[calls++] = '0' + (int)((MPI_Aint)value % 10);
	order[calls] = 0;
}

/* The callback for the second key: it deletes the first one, and sets a third. */
static int drop_comm(MPI_Comm on, int key, void *value, void *extra) {
	int there;
	void *is;
	note(value);
	if (key != second || extra == NULL)
		return MPI_SUCCESS;
	OK(MPI_Comm_get_attr(on, first, &is, &there));
	if (there)
		OK(MPI_Comm_delete_attr(on, first));
	if (*(int *)extra)
		OK(MPI_Comm_set_attr(on, third, (void *)3));
	return MPI_SUCCESS;
}

static int drop_type(MPI_Datatype on, int key, void *value, void *extra) {
	int there;
	void *is;
	note(value);
	if (key != second || extra == NULL)
		return MPI_SUCCESS;
	OK(MPI_Type_get_attr(on, first, &is, &there));
	if (there)
		OK(MPI_Type_delete_attr(on, first));
	if (*(int *)extra)
		OK(MPI_Type_set_attr(on, third, (void *)3));
	return MPI_SUCCESS;
}

/* One text for both kinds of objects. */
#define ATTRIBUTES(Object, drop, object, free_object) \
	do { \
		int set_third = 0, there, of_third; \
		void *value; \
		OK(Object##_create_keyval(NULL_COPY_OF(Object), drop, &first, NULL)); \
		OK(Object##_create_keyval(NULL_COPY_OF(Object), drop, &second, &set_third)); \
		OK(Object##_create_keyval(NULL_COPY_OF(Object), drop, &third, NULL)); \
		calls = 0; \
		/* Only the two: an index of before the callback is behind the end of the list. */ \
		OK(Object##_set_attr(object, first, (void *)1)); \
		OK(Object##_set_attr(object, second, (void *)2)); \
		OK(Object##_set_attr(object, second, (void *)12)); \
		CHECK(strcmp(order, "21") == 0); \
		OK(Object##_get_attr(object, second, &value, &there)); \
		CHECK(there && value == (void *)12); \
		/* A third one behind them: the index is that of another attribute. */ \
		OK(Object##_delete_attr(object, second)); \
		OK(Object##_set_attr(object, first, (void *)1)); \
		OK(Object##_set_attr(object, second, (void *)2)); \
		OK(Object##_set_attr(object, third, (void *)3)); \
		OK(Object##_set_attr(object, second, (void *)22)); \
		OK(Object##_get_attr(object, third, &value, &there)); \
		CHECK(there && value == (void *)3); \
		OK(Object##_get_attr(object, second, &value, &there)); \
		CHECK(there && value == (void *)22); \
		OK(Object##_delete_attr(object, third)); \
		/* The callback sets another one. */ \
		set_third = 1; \
		OK(Object##_set_attr(object, second, (void *)32)); \
		OK(Object##_get_attr(object, third, &value, &there)); \
		CHECK(there && value == (void *)3); \
		set_third = 0; \
		/* At the end each is deleted once, the last first. */ \
		OK(Object##_delete_attr(object, third)); \
		OK(Object##_delete_attr(object, second)); \
		OK(Object##_set_attr(object, third, (void *)3)); \
		OK(Object##_set_attr(object, first, (void *)1)); \
		OK(Object##_set_attr(object, second, (void *)2)); \
		of_third = third; \
		OK(Object##_free_keyval(&third)); \
		calls = 0; \
		OK(free_object(&object)); \
		CHECK(strcmp(order, "213") == 0); \
		CHECK(Object##_free_keyval(&of_third) != MPI_SUCCESS); \
		OK(Object##_free_keyval(&first)); \
		OK(Object##_free_keyval(&second)); \
	} while (0)

#define NULL_COPY_OF(Object) Object##_NULL_COPY
#define MPI_Comm_NULL_COPY MPI_COMM_NULL_COPY_FN
#define MPI_Type_NULL_COPY MPI_TYPE_NULL_COPY_FN

static int refused;

static int free_again(MPI_Comm comm, int key, void *value, void *extra) {
	(void)key, (void)value, (void)extra;
	refused = MPI_Comm_free(&comm);
	return MPI_SUCCESS;
}

/* A callback that frees what is being freed gets an error, and the communicator is freed once. */
static void freed_by_its_own_callback(void) {
	MPI_Comm comm;
	int key, class;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_again, &key, NULL));
	OK(MPI_Comm_set_attr(comm, key, NULL));
	OK(MPI_Comm_free(&comm));
	CHECK(comm == MPI_COMM_NULL);
	OK(MPI_Error_class(refused, &class));
	CHECK(class == MPI_ERR_OTHER);
	OK(MPI_Comm_free_keyval(&key));
}

int main(void) {
	MPI_Comm twin;
	MPI_Datatype type;
	join(MPI_THREAD_SINGLE);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	freed_by_its_own_callback();
	ATTRIBUTES(MPI_Comm, drop_comm, twin, MPI_Comm_free);
	OK(MPI_Type_contiguous(3, MPI_INT, &type));
	ATTRIBUTES(MPI_Type, drop_type, type, MPI_Type_free);
	return MPI_Finalize();
}
