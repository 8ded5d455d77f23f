// Wordcount counts the words of files, and prints those that are most frequent. Each rank counts in some of the files,
// and sends its map to rank 0.
//
//	pvasrun -n 4 ./examples/gallery/wordcount -top 10 docs/*.md
package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/value"
)

func main() {
	top := args.Number("top", 10, 1e9, "`number` of words that are printed")
	files := args.Parse("FILE...")
	mpi.Run(func(world *mpi.Comm) error {
		counts := map[string]int{}
		for i := world.Rank(); i < len(files); i += world.Size() {
			text, err := os.ReadFile(files[i])
			if err != nil {
				return err
			}
			for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
				counts[strings.ToLower(word)]++
			}
		}
		total, err := value.Reduce(world, counts, func(total, counts map[string]int) map[string]int {
			for word, n := range counts {
				total[word] += n
			}
			return total
		}, 0)
		words := slices.SortedFunc(maps.Keys(total), func(a, b string) int {
			return cmp.Or(cmp.Compare(total[b], total[a]), cmp.Compare(a, b))
		})
		for _, word := range words[:min(max(*top, 0), len(words))] {
			fmt.Println(total[word], word)
		}
		return err
	})
}
