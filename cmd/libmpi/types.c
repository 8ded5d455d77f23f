// Sizes and extents of datatypes. A word is read whole, so the size is that of the handle, whatever other threads make
// and free. A handle that was freed is in no word.

#include "types.h"

static uint32_t known_of(MPI_Datatype type) {
	if (libmpi_world.size == 0)
		return 0;
	uint32_t known = libmpi_predefined(type) & SIZE_MASK;
	if (known)
		return known;
	uint64_t handle = (uint64_t)libmpi_number(type);
	uint64_t made = __atomic_load_n(&libmpi_tables.made[handle >> KIND_BITS & (MADE_TYPES - 1)], __ATOMIC_RELAXED);
	return made >> HANDLE_SHIFT == handle ? (uint32_t)made : 0;
}

uint32_t libmpi_size_of(MPI_Datatype type) { return known_of(type) & ~SPREAD; }

uint32_t libmpi_extent_of(MPI_Datatype type) {
	uint32_t known = known_of(type);
	return known & SPREAD ? 0 : known;
}
