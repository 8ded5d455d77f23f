//go:build !openmpi && !mpich

// Sentinels of a library that was loaded later than this one.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "fortran.h"

// found is the variable of that name that an address lies in, or none.
static void *found(const void *p, const char *name, void *none) {
	Dl_info info;
	return dladdr(p, &info) && info.dli_sname && strcmp(info.dli_sname, name) == 0 ? info.dli_saddr : none;
}

struct sentinels *f_found(const void *p) {
	static struct sentinels none;
	return found(p, "mpi_f_sentinels_", &none);
}

struct texts *f_found_texts(const void *p) {
	static struct texts none;
	return found(p, "mpi_f_texts_", &none);
}
