// Subroutines for Fortran that differ from the functions of C by more than their arguments.
#include "fortran.h"

void pmpi_init_(int *ierror) { f_error(ierror, MPI_Init(NULL, NULL)); }
NAMES(init, INIT)

void pmpi_init_thread_(int *required, int *provided, int *ierror) {
	f_error(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}
NAMES(init_thread, INIT_THREAD)

void pmpi_info_create_env_(int *info, int *ierror) {
	MPI_Info made = MPI_INFO_NULL;
	f_error(ierror, MPI_Info_create_env(0, NULL, &made));
	*info = f_integer(made);
}
NAMES(info_create_env, INFO_CREATE_ENV)

// A value in C has room for the zero byte, which is not counted in Fortran.

void pmpi_info_get_(int *info, char *key, int *valuelen, char *value, int *flag, int *ierror, f_length l_key,
	f_length l_value) {
	char *c_key = f_stripped(key, l_key), *c_value = malloc(*valuelen > 0 ? *valuelen + 1 : 1);
	int error = MPI_Info_get(f_handle(Info, *info), c_key, *valuelen, c_value, flag);
	if (error == MPI_SUCCESS && *flag)
		f_text(error, value, l_value, c_value);
	free(c_key);
	free(c_value);
	f_error(ierror, error);
}
NAMES(info_get, INFO_GET)

void pmpi_info_get_string_(int *info, char *key, int *buflen, char *value, int *flag, int *ierror, f_length l_key,
	f_length l_value) {
	int n = *buflen > 0 ? *buflen + 1 : 0;
	char *c_key = f_stripped(key, l_key), *c_value = malloc(n + 1);
	int error = MPI_Info_get_string(f_handle(Info, *info), c_key, &n, c_value, flag);
	if (error == MPI_SUCCESS && *flag) {
		if (*buflen > 0)
			f_text(error, value, l_value, c_value);
		*buflen = n > 0 ? n - 1 : 0;
	}
	free(c_key);
	free(c_value);
	f_error(ierror, error);
}
NAMES(info_get_string, INFO_GET_STRING)

void pmpi_session_get_nth_pset_(int *session, int *info, int *n, int *pset_len, char *pset_name, int *ierror,
	f_length l_name) {
	int length = *pset_len > 0 ? *pset_len + 1 : 0;
	char *name = malloc(length + 1);
	name[0] = 0;
	int error = MPI_Session_get_nth_pset(f_handle(Session, *session), f_handle(Info, *info), *n, &length, name);
	if (error == MPI_SUCCESS) {
		if (*pset_len > 0)
			f_text(error, pset_name, l_name, name);
		*pset_len = length > 0 ? length - 1 : 0;
	}
	free(name);
	f_error(ierror, error);
}
NAMES(session_get_nth_pset, SESSION_GET_NTH_PSET)

// Without mpi_f08 Fortran is not told the address of a buffer that was detached: it has the buffer.

void pmpi_buffer_detach_(void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	f_error(ierror, MPI_Buffer_detach(&address, size));
}
OLD_NAMES(buffer_detach, BUFFER_DETACH)

void pmpi_comm_detach_buffer_(int *comm, void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	f_error(ierror, MPI_Comm_detach_buffer(f_handle(Comm, *comm), &address, size));
}
OLD_NAMES(comm_detach_buffer, COMM_DETACH_BUFFER)

void pmpi_session_detach_buffer_(int *session, void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	f_error(ierror, MPI_Session_detach_buffer(f_handle(Session, *session), &address, size));
}
OLD_NAMES(session_detach_buffer, SESSION_DETACH_BUFFER)

// Representations of data in files. The callbacks of Fortran have their error code as last argument.

struct datarep {
	void *read, *write;
	void (*extent)(int *, MPI_Aint *, MPI_Aint *, int *);
	MPI_Aint extra;
};

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state) {
	struct datarep *d = state;
	int handle = f_integer(type), ierror = MPI_SUCCESS;
	d->extent(&handle, extent, &d->extra, &ierror);
	return ierror;
}

#define CONVERT(way, form, integer) \
	static int way##_data##form(void *userbuf, MPI_Datatype type, integer n, void *filebuf, MPI_Offset position, \
		void *state) { \
		struct datarep *d = state; \
		int handle = f_integer(type), ierror = MPI_SUCCESS; \
		((void (*)(void *, int *, integer *, void *, MPI_Offset *, MPI_Aint *, int *))d->way)(userbuf, &handle, &n, \
			filebuf, &position, &d->extra, &ierror); \
		return ierror; \
	}

// A representation is there for the rest of the process, and so is its struct. The library does not call
// the null functions.
#define DATAREP(form, FORM, integer) \
	CONVERT(read, form, integer) \
	CONVERT(write, form, integer) \
	void mpi_conversion_fn_null##form##_(void *userbuf, int *type, integer *n, void *filebuf, MPI_Offset *position, \
		MPI_Aint *extra, int *ierror) { \
		*ierror = MPI_ERR_CONVERSION; \
	} \
	void pmpi_register_datarep##form##_(char *name, void *read_fn, void *write_fn, void *extent_fn, MPI_Aint *extra, \
		int *ierror, f_length l_name) { \
		char *c_name = f_string(name, l_name); \
		struct datarep *d = malloc(sizeof *d); \
		int error = MPI_ERR_NO_MEM; \
		if (d) { \
			*d = (struct datarep){read_fn, write_fn, extent_fn, *extra}; \
			error = MPI_Register_datarep##form(c_name, \
				read_fn == mpi_conversion_fn_null##form##_ ? MPI_CONVERSION_FN_NULL##FORM : read_data##form, \
				write_fn == mpi_conversion_fn_null##form##_ ? MPI_CONVERSION_FN_NULL##FORM : write_data##form, \
				extent_of, d); \
			if (error != MPI_SUCCESS) \
				free(d); \
		} \
		free(c_name); \
		f_error(ierror, error); \
	}

DATAREP(, , int)
DATAREP(_c, _C, MPI_Count)
CALLBACK_NAMES(conversion_fn_null, CONVERSION_FN_NULL)
NAMES(register_datarep, REGISTER_DATAREP)
NAMES(register_datarep_c, REGISTER_DATAREP_C)

// Generalized requests. The callbacks of Fortran have their error code as last argument. They
// get the extra state where the program has it, and may change it.

struct grequest {
	void (*query)(MPI_Aint *, MPI_Status *, int *);
	void (*free)(MPI_Aint *, int *);
	void (*cancel)(MPI_Aint *, int *, int *);
	MPI_Aint *extra;
};

static int query(void *state, MPI_Status *status) {
	struct grequest *g = state;
	int ierror = MPI_SUCCESS;
	g->query(g->extra, status, &ierror);
	return ierror;
}

static int release(void *state) {
	struct grequest *g = state;
	int ierror = MPI_SUCCESS;
	g->free(g->extra, &ierror);
	free(g);
	return ierror;
}

static int cancel(void *state, int complete) {
	struct grequest *g = state;
	int ierror = MPI_SUCCESS;
	g->cancel(g->extra, &complete, &ierror);
	return ierror;
}

void pmpi_grequest_start_(void *query_fn, void *free_fn, void *cancel_fn, MPI_Aint *extra_state,
	int *request, int *ierror) {
	MPI_Request made = MPI_REQUEST_NULL;
	struct grequest *g = malloc(sizeof *g);
	if (!g) {
		f_error(ierror, MPI_ERR_NO_MEM);
		return;
	}
	*g = (struct grequest){query_fn, free_fn, cancel_fn, extra_state};
	f_error(ierror, MPI_Grequest_start(query, release, cancel, g, &made));
	*request = f_integer(made);
}
NAMES(grequest_start, GREQUEST_START)
