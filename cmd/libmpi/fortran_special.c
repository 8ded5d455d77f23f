// Subroutines for Fortran that differ from the functions of C by more than their arguments.
#include "fortran.h"

void pmpi_init_(int *ierror) { *ierror = MPI_Init(NULL, NULL); }
#pragma weak mpi_init_ = pmpi_init_

void pmpi_init_thread_(int *required, int *provided, int *ierror) {
	*ierror = MPI_Init_thread(NULL, NULL, *required, provided);
}
#pragma weak mpi_init_thread_ = pmpi_init_thread_

void pmpi_info_create_env_(int *info, int *ierror) {
	MPI_Info made = MPI_INFO_NULL;
	*ierror = MPI_Info_create_env(0, NULL, &made);
	*info = MPI_Info_toint(made);
}
#pragma weak mpi_info_create_env_ = pmpi_info_create_env_

// A value in C has room for the zero byte, which is not counted in Fortran.

void pmpi_info_get_(int *info, char *key, int *valuelen, char *value, int *flag, int *ierror, size_t l_key,
	size_t l_value) {
	char *c_key = f_stripped(key, l_key), *c_value = malloc(*valuelen > 0 ? *valuelen + 1 : 1);
	*ierror = MPI_Info_get(f_handle(*info), c_key, *valuelen, c_value, flag);
	if (*ierror == MPI_SUCCESS && *flag)
		f_text(*ierror, value, l_value, c_value);
	free(c_key);
	free(c_value);
}
#pragma weak mpi_info_get_ = pmpi_info_get_

void pmpi_info_get_string_(int *info, char *key, int *buflen, char *value, int *flag, int *ierror, size_t l_key,
	size_t l_value) {
	int n = *buflen > 0 ? *buflen + 1 : 0;
	char *c_key = f_stripped(key, l_key), *c_value = malloc(n + 1);
	*ierror = MPI_Info_get_string(f_handle(*info), c_key, &n, c_value, flag);
	if (*ierror == MPI_SUCCESS && *flag) {
		if (*buflen > 0)
			f_text(*ierror, value, l_value, c_value);
		*buflen = n > 0 ? n - 1 : 0;
	}
	free(c_key);
	free(c_value);
}
#pragma weak mpi_info_get_string_ = pmpi_info_get_string_

void pmpi_session_get_nth_pset_(int *session, int *info, int *n, int *pset_len, char *pset_name, int *ierror,
	size_t l_name) {
	int length = *pset_len > 0 ? *pset_len + 1 : 0;
	char *name = malloc(length + 1);
	name[0] = 0;
	*ierror = MPI_Session_get_nth_pset(f_handle(*session), f_handle(*info), *n, &length, name);
	if (*ierror == MPI_SUCCESS) {
		if (*pset_len > 0)
			f_text(*ierror, pset_name, l_name, name);
		*pset_len = length > 0 ? length - 1 : 0;
	}
	free(name);
}
#pragma weak mpi_session_get_nth_pset_ = pmpi_session_get_nth_pset_

// Fortran is not told the address of a buffer that was detached: it has the buffer.

void pmpi_buffer_detach_(void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	*ierror = MPI_Buffer_detach(&address, size);
}
#pragma weak mpi_buffer_detach_ = pmpi_buffer_detach_

void pmpi_comm_detach_buffer_(int *comm, void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	*ierror = MPI_Comm_detach_buffer(f_handle(*comm), &address, size);
}
#pragma weak mpi_comm_detach_buffer_ = pmpi_comm_detach_buffer_

void pmpi_session_detach_buffer_(int *session, void *buffer, int *size, int *ierror) {
	void *address;
	(void)buffer;
	*ierror = MPI_Session_detach_buffer(f_handle(*session), &address, size);
}
#pragma weak mpi_session_detach_buffer_ = pmpi_session_detach_buffer_

// Representations of data in files. The callbacks of Fortran have their error code as last argument.

struct datarep {
	void (*read)(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *);
	void (*write)(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *);
	void (*extent)(int *, MPI_Aint *, MPI_Aint *, int *);
	MPI_Aint extra;
};

void mpi_conversion_fn_null_(void *userbuf, int *type, int *n, void *filebuf, MPI_Offset *position,
	MPI_Aint *extra, int *ierror) {
	*ierror = MPI_ERR_CONVERSION; // the library does not call it
}

static int read_data(void *userbuf, MPI_Datatype type, int n, void *filebuf, MPI_Offset position, void *state) {
	struct datarep *d = state;
	int handle = MPI_Type_toint(type), ierror = MPI_SUCCESS;
	d->read(userbuf, &handle, &n, filebuf, &position, &d->extra, &ierror);
	return ierror;
}

static int write_data(void *userbuf, MPI_Datatype type, int n, void *filebuf, MPI_Offset position, void *state) {
	struct datarep *d = state;
	int handle = MPI_Type_toint(type), ierror = MPI_SUCCESS;
	d->write(userbuf, &handle, &n, filebuf, &position, &d->extra, &ierror);
	return ierror;
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state) {
	struct datarep *d = state;
	int handle = MPI_Type_toint(type), ierror = MPI_SUCCESS;
	d->extent(&handle, extent, &d->extra, &ierror);
	return ierror;
}

void pmpi_register_datarep_(char *name, void *read_fn, void *write_fn, void *extent_fn, MPI_Aint *extra, int *ierror,
	size_t l_name) {
	char *c_name = f_string(name, l_name);
	struct datarep *d = malloc(sizeof *d); // for the rest of the process, as the representation
	if (d) {
		*d = (struct datarep){read_fn, write_fn, extent_fn, *extra};
		*ierror = MPI_Register_datarep(c_name, d->read == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : read_data,
			d->write == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : write_data, extent_of, d);
		if (*ierror != MPI_SUCCESS)
			free(d);
	} else {
		*ierror = MPI_ERR_NO_MEM;
	}
	free(c_name);
}
#pragma weak mpi_register_datarep_ = pmpi_register_datarep_

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
		*ierror = MPI_ERR_NO_MEM;
		return;
	}
	*g = (struct grequest){query_fn, free_fn, cancel_fn, extra_state};
	*ierror = MPI_Grequest_start(query, release, cancel, g, &made);
	*request = MPI_Request_toint(made);
}
#pragma weak mpi_grequest_start_ = pmpi_grequest_start_
