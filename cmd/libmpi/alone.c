// A process with two MPI libraries: some of its calls would reach one, and some the other. That happens where parts
// of a program were built with different ones.

#define _GNU_SOURCE
#include "entry.h"
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct libraries {
	const char *own, *other;
};

// has tells whether an address is in a library.
static int has(const struct dl_phdr_info *library, uintptr_t address) {
	for (int i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &library->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && address - library->dlpi_addr - part->p_vaddr < part->p_memsz)
			return 1;
	}
	return 0;
}

static int look(struct dl_phdr_info *library, size_t size, void *to) {
	static const char *const names[] = {"libmpi.so", "libmpi_abi.so", "libmpich.so"};
	struct libraries *found = to;
	const char *slash = strrchr(library->dlpi_name, '/'), *name = slash ? slash + 1 : library->dlpi_name;
	if (has(library, (uintptr_t)look)) {
		found->own = library->dlpi_name;
		return 0;
	}
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			found->other = library->dlpi_name;
	return 0;
}

void libmpi_alone(void) {
	struct libraries found = {"libmpi", NULL};
	dl_iterate_phdr(look, &found);
	if (!found.other)
		return;
	fprintf(stderr, "libmpi: this process has two MPI libraries, %s and %s: build all parts of the program, and its "
		"libraries, with one\n", found.own, found.other);
	_exit(1);
}
