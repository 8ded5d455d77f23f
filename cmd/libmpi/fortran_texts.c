// Strings in C from texts in Fortran, which end with blanks.
#include "fortran.h"

char *f_string(const char *text, size_t length) {
	while (length > 0 && text[length - 1] == ' ')
		length--;
	char *string = malloc(length + 1);
	if (string) {
		memcpy(string, text, length);
		string[length] = 0;
	}
	return string;
}

char *f_stripped(const char *text, size_t length) {
	while (length > 0 && *text == ' ')
		text++, length--;
	return f_string(text, length);
}

char **f_strings(const char *texts, size_t length, int n) {
	char **strings = calloc(n > 0 ? n : 1, sizeof *strings);
	for (int i = 0; strings && i < n; i++)
		strings[i] = f_stripped(texts + i * length, length);
	return strings;
}

void f_strings_free(char **strings, int n) {
	for (int i = 0; strings && i < n; i++)
		free(strings[i]);
	free(strings);
}

static int blank(const char *text, size_t length) {
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length == 0;
}

// arguments makes strings of every step-th text, up to one of blanks.
static char **arguments(const char *texts, size_t length, int step) {
	size_t n = 0, apart = step * length;
	while (!blank(texts + n * apart, length))
		n++;
	char **argv = calloc(n + 1, sizeof *argv);
	for (size_t i = 0; argv && i < n; i++)
		argv[i] = f_stripped(texts + i * apart, length);
	return argv;
}

char **f_argv(const char *texts, size_t length) {
	return f_text_is(texts, argv_null) ? MPI_ARGV_NULL : arguments(texts, length, 1);
}

void f_argv_free(char **argv) {
	for (char **a = argv; a && *a; a++)
		free(*a);
	free(argv);
}

char ***f_argvs(const char *texts, size_t length, int n) {
	if (f_text_is(texts, argvs_null))
		return MPI_ARGVS_NULL;
	char ***argvs = calloc(n > 0 ? n : 1, sizeof *argvs);
	for (int i = 0; argvs && i < n; i++)
		argvs[i] = arguments(texts + i * length, length, n);
	return argvs;
}

void f_argvs_free(char ***argvs, int n) {
	for (int i = 0; argvs && i < n; i++)
		f_argv_free(argvs[i]);
	free(argvs);
}
