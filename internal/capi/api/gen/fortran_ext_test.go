package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const extended = `program p
  use MODULE
  use MODULE_ext
  implicit none
  integer :: flag, n, ierror
  logical :: revoked
  HANDLE_COMM :: comm, less
  HANDLE_GROUP :: failed
  HANDLE_REQUEST :: request
  comm = MPI_COMM_WORLD
  call MPIX_Comm_get_failed(comm, failed, ierror)
  call PMPI_Comm_get_failed(comm, failed, ierror)
  call MPIX_Comm_ack_failed(comm, num_to_ack=1, num_acked=n, ierror=ierror)
  call MPIX_Comm_agree(comm, flag, ierror)
  call PMPIX_Comm_iagree(comm, flag, request, ierror)
  call MPIX_Comm_ishrink(comm, less, request, ierror)
  call MPI_Comm_revoke(less, ierror)
  call MPIX_Comm_is_revoked(less, revoked, ierror)
  if (ierror == MPIX_ERR_REVOKED .or. ierror == MPI_ERR_PROC_FAILED) n = MPIX_FT
end program
`

// TestExtensionsOfFortran: programs compile that use them by either module.
func TestExtensionsOfFortran(t *testing.T) {
	for module, handle := range map[string]string{"mpi": "integer", "mpi_f08": "type(MPI_$)"} {
		text := strings.ReplaceAll(extended, "MODULE", module)
		for _, kind := range []string{"Comm", "Group", "Request"} {
			text = strings.ReplaceAll(text, "HANDLE_"+strings.ToUpper(kind), strings.ReplaceAll(handle, "$", kind))
		}
		gfortran(t, module+".f90", text, "-Wall", "-Werror", "-Wno-uninitialized")
	}
}

// TestExtensionsHaveEverySubroutine: what the modules declare is there, by both names.
func TestExtensionsHaveEverySubroutine(t *testing.T) {
	symbols := fortranSymbols(t)
	for _, module := range []string{"mpi_ext.f90", "mpi_f08_ext.f90"} {
		names := offered(t, module)
		require.Len(t, names, 2*21, module)
		for name := range names {
			require.True(t, symbols[strings.ToLower(name)+"_"], name)
		}
	}
}
