/* Numbers of 16 bytes: sums and products are those of the compiler, bit by bit. */
#include "program.h"

#define N 4096

typedef __float128 quad;
typedef _Complex float __attribute__((mode(TC))) complex_quad;
typedef __int128 wide;

static unsigned long long state;

static unsigned long long next(void) {
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state ^ state >> 29;
}

/* any makes a number: of any bits, or of an exponent near the least, the greatest, or that of 1. */
static quad any(int i) {
	unsigned long long bits[2] = {next(), next()}, exponent = next();
	quad q;
	switch (i % 8) {
	case 0: break;
	case 1: bits[1] = 0, bits[0] >>= next() % 64; break; /* denormal */
	case 2: bits[1] &= ~0ull << 63 | 0xffff, bits[1] |= (exponent % 4) << 48; break;
	case 3: bits[1] &= ~0ull << 63 | 0xffffffffffff, bits[1] |= (0x7ffe - exponent % 3) << 48; break;
	case 4: bits[1] &= ~0ull << 63 | 0xffff, bits[1] |= (0x1fff + exponent % 8) << 48; break; /* products are tiny */
	case 5: bits[0] = 0, bits[1] &= ~0ull << 48; break; /* a power of 2 */
	default: bits[1] &= ~0ull << 63 | 0xffffffffffff, bits[1] |= (0x3fff - 60 + exponent % 120) << 48;
	}
	memcpy(&q, bits, sizeof q);
	return q;
}

static int same(quad a, quad b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

static void quads(void) {
	static quad a[N], b[N], have[N];
	for (int turn = 0; turn < 16; turn++) {
		for (int i = 0; i < N; i++)
			a[i] = any(turn < 8 ? turn : i), b[i] = any(i / 8);
		memcpy(have, b, sizeof b);
		OK(MPI_Reduce_local(a, have, N, MPI_REAL16, MPI_SUM));
		for (int i = 0; i < N; i++)
			CHECK(same(have[i], a[i] + b[i]));
		memcpy(have, b, sizeof b);
		OK(MPI_Reduce_local(a, have, N, MPI_REAL16, MPI_PROD));
		for (int i = 0; i < N; i++)
			CHECK(same(have[i], a[i] * b[i]));
		memcpy(have, b, sizeof b);
		OK(MPI_Reduce_local(a, have, N, MPI_REAL16, MPI_MAX));
		for (int i = 0; i < N; i++)
			CHECK(a[i] != a[i] || b[i] != b[i] ? have[i] != have[i] : have[i] == (a[i] > b[i] ? a[i] : b[i]));
	}
}

static void integers(void) {
	static wide a[N], b[N], have[N];
	for (int i = 0; i < N; i++) {
		a[i] = (wide)next() << 64 | next(), b[i] = (wide)next() << 64 | next();
		if (i % 2)
			a[i] >>= 70, b[i] >>= 90;
	}
#define WIDE(op, expression) \
	memcpy(have, b, sizeof b); \
	OK(MPI_Reduce_local(a, have, N, MPI_INTEGER16, op)); \
	for (int i = 0; i < N; i++) \
		CHECK(have[i] == (wide)(expression));
	WIDE(MPI_SUM, (unsigned __int128)a[i] + b[i])
	WIDE(MPI_PROD, (unsigned __int128)a[i] * b[i])
	WIDE(MPI_MIN, a[i] < b[i] ? a[i] : b[i])
	WIDE(MPI_MAX, a[i] > b[i] ? a[i] : b[i])
	WIDE(MPI_BXOR, a[i] ^ b[i])
	WIDE(MPI_LAND, a[i] && b[i])
}

/* Each rank has a third of its number; all ranks sum it. */
static void together(void) {
	quad third = (quad)(rank + 1) / 3, sum = 0, want = 0;
	complex_quad pair, product, expected = 1;
	wide large = ((wide)1 << 100) + rank, all = 0, most = 0;
	int f90;
	MPI_Datatype chosen;
	MPI_Request request;
	for (int i = 0; i < size; i++)
		want += (quad)(i + 1) / 3;
	OK(MPI_Allreduce(&third, &sum, 1, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum - want < 1e-30 && want - sum < 1e-30);
	OK(MPI_Type_create_f90_real(30, MPI_UNDEFINED, &chosen));
	OK(MPI_Type_size(chosen, &f90));
	CHECK(f90 == 16);
	OK(MPI_Iallreduce(&third, &sum, 1, chosen, MPI_MIN, MPI_COMM_WORLD, &request));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(sum == (quad)1 / 3);
	__real__ pair = 1, __imag__ pair = rank;
	for (int i = 0; i < size; i++) {
		complex_quad one;
		__real__ one = 1, __imag__ one = i;
		expected *= one;
	}
	OK(MPI_Allreduce(&pair, &product, 1, MPI_COMPLEX32, MPI_PROD, MPI_COMM_WORLD));
	CHECK(product == expected);
	OK(MPI_Allreduce(&large, &all, 1, MPI_INTEGER16, MPI_SUM, MPI_COMM_WORLD));
	CHECK(all == ((wide)1 << 100) * size + size * (size - 1) / 2);
	OK(MPI_Reduce(&large, &most, 1, MPI_INTEGER16, MPI_MAX, 0, MPI_COMM_WORLD));
	CHECK(rank > 0 || most == ((wide)1 << 100) + size - 1);
}

/* All ranks add to numbers of the first, and the last swaps one. */
static void windows(void) {
	struct {
		quad q;
		wide i;
	} *base;
	quad third = (quad)1 / 3, want = 0;
	wide large = (wide)1 << 100, old = -1, seven = 7;
	MPI_Win win;
	OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
	memset(base, 0, sizeof *base);
	OK(MPI_Win_fence(0, win));
	OK(MPI_Accumulate(&third, 1, MPI_REAL16, 0, 0, 1, MPI_REAL16, MPI_SUM, win));
	OK(MPI_Accumulate(&large, 1, MPI_INTEGER16, 0, sizeof(quad), 1, MPI_INTEGER16, MPI_SUM, win));
	OK(MPI_Win_fence(0, win));
	for (int i = 0; i < size; i++)
		want += third;
	if (rank == 0)
		CHECK(base->q == want && base->i == large * size);
	OK(MPI_Win_fence(0, win));
	large *= size;
	if (rank == size - 1)
		OK(MPI_Compare_and_swap(&seven, &large, &old, MPI_INTEGER16, 0, sizeof(quad), win));
	OK(MPI_Win_fence(0, win));
	CHECK(rank != size - 1 || old == large);
	CHECK(rank > 0 || base->i == 7);
	OK(MPI_Win_free(&win));
}

int main(void) {
	join(MPI_THREAD_SINGLE);
	state = rank + 1;
	quads();
	integers();
	together();
	windows();
	OK(MPI_Finalize());
	return 0;
}
