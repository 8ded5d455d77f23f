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

// ofMPI are the names that libraries of Open MPI define.
var ofMPI = regexp.MustCompile(`^(P?MPIX?_|p?mpi_|ompi_|OMPI_|opal_|orte_)|^_Z.*N3MPI`)

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
			addExports(provided, files[i].file)
		}
	}
	seen := map[string]bool{}
	for _, file := range asking {
		for _, name := range imports(file) {
			if ofMPI.MatchString(name) && !provided[name] && !seen[name] {
				seen[name] = true
				list = append(list, Import{name, filepath.Base(file)})
			}
		}
	}
	return list
}

// libraryOfMPI are the files that define what programs of Open MPI import.
var libraryOfMPI = regexp.MustCompile(`^lib(mpi|open-)`)

// addExports adds the names that a file defines.
func addExports(to map[string]bool, file string) {
	f, err := elf.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	symbols, _ := f.DynamicSymbols() // an error: then it has none
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			to[s.Name] = true
		}
	}
}

// imports returns the names that a file needs to be defined.
func imports(file string) (names []string) {
	f, err := elf.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	symbols, _ := f.ImportedSymbols() // an error: then it has none
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names
}
