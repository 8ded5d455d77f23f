// Namespaces, templates, and functions in functions.
#include <cstdio>
#include <vector>

namespace sim {

namespace {

template <class T> struct Grid {
	std::vector<T> v;
	__attribute__((noinline)) void exchange(int n);
};

template <class T> void Grid<T>::exchange(int n)
{
	std::printf("%d %d\n", n, (int)v.size()); // in exchange
	std::puts("");
}

} // namespace

template <class T, class... A> __attribute__((noinline)) T mean(const std::vector<T> &v, A... a)
{
	Grid<T> g;
	g.exchange(sizeof...(a)); // in mean
	return v[0];
}

static inline __attribute__((always_inline)) double half(const std::vector<double> &v)
{
	double m = sim::mean<double>(v, 1, "x"); // in half
	return m / 2;
}

} // namespace sim

int main(int argc, char **)
{
	std::vector<double> v(3);
	auto twice = [&](int n) __attribute__((noinline)) {
		std::printf("%d\n", n); // in lambda
		std::puts("");
	};
	twice(argc);
	return sim::half(v) > 1; // in main
}
