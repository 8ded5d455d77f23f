/* With -O2 main is in a section of its own, and helper is a part of solve. */
#include <stdio.h>

static inline __attribute__((always_inline)) void helper(int n)
{
	printf("%d\n", n); /* in helper */
}

static __attribute__((noinline)) void solve(int n)
{
	helper(n); /* in solve */
	puts("");
}

int main(int argc, char **argv)
{
	(void)argv;
	solve(argc); /* in main */
	puts("");
	return 0;
}
