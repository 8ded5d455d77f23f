package main

import (
	"fmt"
	"strings"
)

// What the module mpi has beside the functions of C: the types that mpi_f08 names, with comparison,
// and subroutines that only Fortran has. fortran_beside.c has the code.

// namedTypes are the types. A handle is the INTEGER that it has.
func namedTypes() string {
	var b, equal, different strings.Builder
	b.WriteString(`type, bind(C) :: MPI_Status
    INTEGER(C_INT) :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    INTEGER(C_INT), private :: internal(5)
end type
`)
	for _, c := range converted {
		of := "MPI_" + c[0]
		fmt.Fprintf(&b, "type, bind(C) :: %s\n    INTEGER(C_INT) :: MPI_VAL\nend type\n", of)
		equal.WriteString(comparison(of, "eq"))
		different.WriteString(comparison(of, "ne"))
	}
	fmt.Fprintf(&b, "interface operator(.EQ.)\n%send interface\n", equal.String())
	fmt.Fprintf(&b, "interface operator(.NE.)\n%send interface\n", different.String())
	return b.String()
}

func comparison(of, by string) string {
	name := of + "_" + by
	return fmt.Sprintf("  function %s(a, b)\n    import\n    TYPE(%s), INTENT(IN) :: a, b\n    LOGICAL :: "+
		"%s\n  end function\n", name, of, name)
}

// besideInterfaces are those of the subroutines, with a prefix. That of Sizeof gets a descriptor,
// which has the size of an element. The module mpi_f08 has them, too.
func besideInterfaces(prefix string) string {
	return strings.NewReplacer("MPI_F_", prefix+"F_", "MPI_Status_f", prefix+"Status_f", "MPI_Sizeof", prefix+"Sizeof",
		"mpi_sizeof", strings.ToLower(prefix)+"sizeof").Replace(`interface
  subroutine MPI_F_sync_reg(buf)
    import
    !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
    TYPE(*), TARGET :: buf(*)
  end subroutine
  subroutine MPI_Sizeof(x, size, ierror) bind(C, name="mpi_sizeof_of")
    import
    TYPE(*), INTENT(IN) :: x(..)
    INTEGER(C_INT), INTENT(INOUT) :: size
    INTEGER(C_INT), OPTIONAL, INTENT(INOUT) :: ierror
  end subroutine
  subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
    import
    INTEGER, INTENT(IN) :: f_status(MPI_STATUS_SIZE)
    TYPE(MPI_Status), INTENT(INOUT) :: f08_status
    INTEGER, OPTIONAL, INTENT(INOUT) :: ierror
  end subroutine
  subroutine MPI_Status_f082f(f08_status, f_status, ierror)
    import
    TYPE(MPI_Status), INTENT(IN) :: f08_status
    INTEGER, INTENT(INOUT) :: f_status(MPI_STATUS_SIZE)
    INTEGER, OPTIONAL, INTENT(INOUT) :: ierror
  end subroutine
end interface
`)
}
