// Uses so many MiB of its stack as its argument says, and prints what the C library says of the stack's size in MiB.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int deep(int n) {
	volatile char frame[1 << 20];
	for (int i = 0; i < 1 << 20; i += 4096)
		frame[i] = (char)n;
	return n > 1 ? deep(n - 1) + frame[4096] - frame[4096] : frame[0];
}

int main(int argc, char **argv) {
	pthread_attr_t attr;
	void *low;
	size_t size;
	char here;
	if (pthread_getattr_np(pthread_self(), &attr) != 0 || pthread_attr_getstack(&attr, &low, &size) != 0)
		return 2;
	if (&here < (char *)low || &here >= (char *)low + size)
		return 3;
	if (deep(argc > 1 ? atoi(argv[1]) : 1) != 1)
		return 4;
	printf("%zu\n", (size + (1 << 19)) >> 20);
	return 0;
}
