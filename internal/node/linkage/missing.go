package linkage

import (
	"debug/elf"
	"path/filepath"
	"regexp"
)

// An Import is a function or object that a file asks for.
type Import struct {
	Name string `json:"name"`
	For  string `json:"for"` // the file, without its folder
}

// ofMPI are the names that libraries of Open MPI and MPICH define.
var ofMPI = regexp.MustCompile(`^(P?MPIX?_|MPI[IR]_|p?mpi_|ompi_|OMPI_|opal_|orte_)|^_Z.*N3MPI`)

// missing returns what files that ask for a library of MPI import, and no library of MPI among them has.
func missing(files []binary) (list []Import) {
	var asking []string
	provided := map[string]bool{}
	for i := range files {
		asks := files[i].names("libmpi")
		if asks {
			asking = append(asking, files[i].file)
		}
		if asks || libraryOfMPI.MatchString(filepath.Base(files[i].file)) {
			symbols, _ := symbolsOf(files[i].file) // an error: it has gone, and defines nothing
			for _, s := range symbols {
				provided[s.Name] = provided[s.Name] || s.Section != elf.SHN_UNDEF
			}
		}
	}
	seen := map[string]bool{}
	for _, file := range asking {
		symbols, _ := symbolsOf(file)
		for _, s := range symbols {
			needed := s.Section == elf.SHN_UNDEF && elf.ST_BIND(s.Info) == elf.STB_GLOBAL
			if needed && ofMPI.MatchString(s.Name) && !provided[s.Name] && !seen[s.Name] {
				seen[s.Name] = true
				list = append(list, Import{s.Name, filepath.Base(file)})
			}
		}
	}
	return list
}

// libraryOfMPI are the files that define what programs of these import.
var libraryOfMPI = regexp.MustCompile(`^lib(mpi|open-)`)

// symbolsOf returns what the dynamic linker sees of a file: the names that it defines and those that it needs.
func symbolsOf(file string) ([]elf.Symbol, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, _ := f.DynamicSymbols() // an error: then it has none
	return symbols, nil
}
