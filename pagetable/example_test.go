package pagetable_test

import (
	"fmt"

	"github.com/gopvas/gopvas/pagetable"
)

// Two gigabytes from one touch of each: two PTE and two PMD pages, under one
// page of each upper level.
func ExampleTables() {
	c := pagetable.Tables([]pagetable.Mapping{
		{Start: 1 << 30, End: 1<<30 + 4096},
		{Start: 2 << 30, End: 2<<30 + 4096},
	})
	fmt.Printf("%+v = %d KiB\n", c, c.KiB())
	// Output: {PTE:2 PMD:2 PUD:1 PGD:1} = 24 KiB
}

// What 64 ranks with 2 MiB each gain by living in one address space.
func ExampleSeparate() {
	fmt.Println(pagetable.Separate(64, 2<<20).KiB(), pagetable.Shared(64, 2<<20).KiB())
	// Output: 16384 256
}
