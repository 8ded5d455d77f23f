// The finder: whoever pvasrun has started gets its MPI library, by whatever name and folder it asks for one. pvasrun
// names the finder in LD_AUDIT: the dynamic linker then asks it for each library before it looks for that
// (rtld-audit(7)). A variable that names folders would not do: a program may name its own by DT_RPATH, load a library
// by its path, or be started by a script that puts other folders first.
//
// - A library of the standard ABI, one of Open MPI or of MPICH, is that of the installation in which the finder lies.
//   So is libmpi.so, which is that of Open MPI unless the process has another one of ours. One of an installation, by
//   its path, is what it is.
// - Libraries of MPICH for Fortran and C++ stay: they call that for C.
// - Other MPIs are loaded: a program may merely be linked with one. But a rank that initialises one would be alone. So
//   it ends there, with a message.
//
// The dynamic linker calls the finder under its lock. It has loaded it in a namespace of its own, which a C library
// would have to be loaded into again: so the finder uses none.

#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))
#define MOST 4096 // the longest path, with its end

#ifdef __x86_64__
#define LARGEST_PAGE 4096
#else
#define LARGEST_PAGE 65536
#endif

static long call(long number, long a, long b, long c) {
#if defined __x86_64__
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return number;
#elif defined __aarch64__
	register long nr __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(nr), "r"(x1), "r"(x2) : "memory");
	return x0;
#else // it is built with the C library there
	return syscall(number, a, b, c);
#endif
}

// begins returns what is behind a prefix, NULL if the text does not begin so.
static const char *begins(const char *text, const char *prefix) {
	while (*prefix)
		if (*text++ != *prefix++)
			return NULL;
	return text;
}

static int same(const char *a, const char *b) {
	const char *end = begins(a, b);
	return end && !*end;
}

static const char *base(const char *path) {
	const char *name = path;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

// join writes the first n bytes of a text and another one, and returns the path, NULL if it is too long.
static char *join(char *path, const char *folder, size_t n, const char *name) {
	size_t i = 0;
	for (; i < n && i < MOST; i++)
		path[i] = folder[i];
	for (; i < MOST; i++)
		if (!(path[i] = *name++))
			return path;
	return NULL;
}

static const char own[] = "gopvas/finder.so"; // in the folder with the libraries of an installation

// ours tells whether a path is that of a library of an installation.
static int ours(const char *path) {
	char mark[MOST];
	const char *file = join(mark, path, (size_t)(base(path) - path), own);
	return file && call(SYS_faccessat, AT_FDCWD, (long)file, F_OK) == 0;
}

static struct {
	const char *folder; // with the libraries, in the value of LD_AUDIT
	size_t length;
	int many;            // the process is a rank of several
	const char *loaded;  // one of ours that is loaded and not that for Open MPI
	const char *foreign; // an MPI that is not ours
} state;

// find takes the folder from a list of auditing libraries.
static void find(const char *list) {
	for (const char *word = list, *c = list;; c++) {
		if (*c && *c != ':')
			continue;
		size_t n = (size_t)(c - word), length = sizeof own - 1;
		const char *tail = n >= length ? begins(c - length, own) : NULL;
		if (tail == c) {
			state.folder = word;
			state.length = n - length;
		}
		if (!*c)
			return;
		word = c + 1;
	}
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **env) {
	int job = 0, size = 0, other = 0;
	(void)argc, (void)argv;
	for (; *env; env++) {
		const char *value;
		if ((value = begins(*env, "LD_AUDIT=")))
			find(value);
		else if ((value = begins(*env, "PVAS_SIZE=")))
			size = !same(value, "1");
		else if (begins(*env, "PVAS_JOB="))
			job = 1;
		else if (begins(*env, "PMI_FD=") || begins(*env, "PMI_PORT=") || begins(*env, "PMIX_NAMESPACE="))
			other = 1; // a rank has started the launcher of another MPI, and that this process
	}
	state.many = job && size && !other;
}

// la_version agrees to every version. Versions differ in calls that the finder does not take part in. On arm64 a C
// library takes its own version alone.
SEEN unsigned la_version(unsigned version) { return version; }

// library is one of the installation. The dynamic linker reads the name before it asks for the next one.
static char *library(const char *name) {
	static char path[MOST];
	return join(path, state.folder, state.length, name);
}

static const char standard[] = "libmpi_abi.so.1", mpich[] = "libmpi.so.12";

// face returns the library of the installation for a name of one of Open MPI or MPICH, NULL if it is none: a version
// may be behind the name, or none at all.
static char *face(const char *name) {
	static const char *const names[] = {
		"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40", "libmpi_cxx.so.40",
		"libmpi.so.12", "libmpich.so.12",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *n = name, *of = names[i];
		for (; *n && *n == *of; n++)
			of++;
		int bare = !*n && *of == '.' && of[1] >= '0' && of[1] <= '9', versioned = !*of && (!*n || *n == '.');
		if (bare || versioned)
			return library(bare && i == 0 && state.loaded ? state.loaded : names[i]);
	}
	return NULL;
}

SEEN char *la_objsearch(const char *path, uintptr_t *cookie, unsigned flag) {
	const char *name = base(path);
	char *found = NULL;
	(void)cookie;
	if (state.folder && flag == LA_SER_ORIG && !(name != path && ours(path)))
		found = begins(name, "libmpi_abi.so") ? library(standard) : face(name);
	return found ? found : (char *)(uintptr_t)path;
}

// refuse ends a rank that initialises another MPI.
static void refuse(void) {
	static const char *const says[] = {
		"libmpi: this rank initialises ", NULL, ", which is not the MPI library of pvasrun, so it would be alone: "
		"build the program, and its libraries, with the mpicc of pvasrun install-mpi\n",
	};
	char text[2 * MOST];
	size_t n = 0;
	for (int i = 0; i < 3; i++)
		for (const char *c = says[i] ? says[i] : state.foreign; *c && n < sizeof text; c++)
			text[n++] = *c;
	call(SYS_write, STDERR_FILENO, (long)text, (long)n);
	for (;;)
		call(SYS_exit_group, 1, 0, 0);
}

static int initialises(const char *name) {
	static const char *const names[] = {
		"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "mpi_init_", "mpi_init_thread_",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (same(name, names[i]) || ((*name == 'P' || *name == 'p') && same(name + 1, names[i])))
			return 1;
	return 0;
}

// protect changes the protection of the pages with a symbol to that of the file, and more.
static long protect(const struct link_map *m, const ElfW(Sym) *s, int more) {
	const ElfW(Ehdr) *file = (const void *)m->l_addr; // a library begins at 0
	const ElfW(Phdr) *part = (const void *)(m->l_addr + file->e_phoff);
	uintptr_t begin = (uintptr_t)s & -(uintptr_t)LARGEST_PAGE, end = (uintptr_t)(s + 1);
	if (begin < m->l_addr)
		begin = m->l_addr;
	for (int i = 0; i < file->e_phnum; i++, part++)
		if (part->p_type == PT_LOAD && (uintptr_t)s - m->l_addr - part->p_vaddr < part->p_memsz)
			return call(SYS_mprotect, (long)begin, (long)(end - begin), PROT_READ | more |
				(part->p_flags & PF_W ? PROT_WRITE : 0) | (part->p_flags & PF_X ? PROT_EXEC : 0));
	return -1;
}

// forbid has the functions of another MPI that initialise it be refuse, for whoever looks for them from now on: in this
// process its table of symbols says so. That table has no length, but lies before the one of their names.
static void forbid(const struct link_map *m) {
	uintptr_t symbols = 0, names = 0, length = 0;
	for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
		uintptr_t value = d->d_un.d_ptr, at = value < m->l_addr ? value + m->l_addr : value; // if it was not added yet
		if (d->d_tag == DT_SYMTAB)
			symbols = at;
		else if (d->d_tag == DT_STRTAB)
			names = at;
		else if (d->d_tag == DT_STRSZ)
			length = value;
	}
	if (!symbols || !length)
		return;
	for (ElfW(Sym) *s = (ElfW(Sym) *)symbols; (uintptr_t)(s + 1) <= names; s++) {
		int defined = ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_name < length;
		if (defined && initialises((const char *)names + s->st_name) && protect(m, s, PROT_WRITE) == 0) {
			s->st_value = (uintptr_t)refuse - m->l_addr;
			protect(m, s, 0);
		}
	}
}

SEEN unsigned la_objopen(struct link_map *m, Lmid_t namespace, uintptr_t *cookie) {
	static const char *const cores[] = {"libmpi.so", "libmpi_abi.so", "libmpich.so"};
	(void)namespace, (void)cookie;
	const char *name = base(m->l_name);
	for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
		const char *end = begins(name, cores[i]);
		if (!end || (*end && *end != '.'))
			continue;
		if (ours(m->l_name)) {
			state.loaded = i == 1 ? standard : i == 2 || begins(name, mpich) ? mpich : state.loaded;
		} else if (state.many) {
			state.foreign = m->l_name;
			forbid(m);
		}
	}
	return 0; // no function that is bound is of interest
}
