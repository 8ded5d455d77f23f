// Sorts random numbers that are spread over the ranks. Each rank ends up with a range of
// values: ranks agree on the borders by samples, and exchange what belongs to others.
// mpicxx -O2 examples/c/sort.cc -o sort && mpiexec -n 4 ./sort
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

using Numbers = std::vector<long>;

// borders returns the size-1 values between the ranges, the same on all ranks.
static Numbers borders(const Numbers &sorted, int size) {
	Numbers samples(size), all(size * size), chosen(size - 1);
	for (int i = 0; i < size; i++)
		samples[i] = sorted[i * sorted.size() / size];
	MPI_Allgather(samples.data(), size, MPI_LONG, all.data(), size, MPI_LONG, MPI_COMM_WORLD);
	std::sort(all.begin(), all.end());
	for (int i = 1; i < size; i++)
		chosen[i - 1] = all[i * size];
	return chosen;
}

// starts returns where each part begins, and the sum.
static std::vector<int> starts(const std::vector<int> &counts) {
	std::vector<int> at(counts.size() + 1);
	std::partial_sum(counts.begin(), counts.end(), at.begin() + 1);
	return at;
}

static Numbers exchange(const Numbers &sorted, const Numbers &border, int size) {
	std::vector<int> out(size), in(size);
	auto begin = sorted.begin();
	for (int i = 0; i < size; i++) {
		auto end = i < size - 1 ? std::lower_bound(begin, sorted.end(), border[i]) : sorted.end();
		out[i] = int(end - begin);
		begin = end;
	}
	MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
	auto from = starts(out), to = starts(in);
	Numbers mine(to.back());
	MPI_Alltoallv(sorted.data(), out.data(), from.data(), MPI_LONG, mine.data(), in.data(), to.data(), MPI_LONG,
		MPI_COMM_WORLD);
	std::sort(mine.begin(), mine.end());
	return mine;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int rank, size;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);

	std::mt19937_64 random(rank);
	Numbers numbers(100000);
	for (long &n : numbers)
		n = long(random() >> 1);
	std::sort(numbers.begin(), numbers.end());
	Numbers mine = exchange(numbers, borders(numbers, size), size);

	// Each rank compares its first number with the last one of the rank before.
	long last = mine.empty() ? 0 : mine.back(), before = 0, count = long(mine.size()), all = 0;
	int in_order = 1, everywhere = 0;
	MPI_Exscan(&last, &before, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	if (rank > 0 && !mine.empty())
		in_order = before <= mine.front();
	MPI_Reduce(&in_order, &everywhere, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
	MPI_Reduce(&count, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		std::printf("%d ranks sorted %ld numbers: %s\n", size, all, everywhere ? "in order" : "NOT IN ORDER");
	MPI_Finalize();
	return 0;
}
