package main

import "strings"

// What mpi.h has beside the standard ABI: conversions to and from Fortran, which the ABI leaves
// to the library that speaks Fortran, and functions that MPI 3.0 removed.

// converted are the objects with functions NAME_c2f and NAME_f2c, and their types.
var converted = [][2]string{{"Comm", "Comm"}, {"Datatype", "Type"}, {"Errhandler", "Errhandler"}, {"File", "File"},
	{"Group", "Group"}, {"Info", "Info"}, {"Message", "Message"}, {"Op", "Op"}, {"Request", "Request"},
	{"Session", "Session"}, {"Win", "Win"}}

const besideTypes = `
/* Fortran and C */
typedef int MPI_Fint;
typedef MPI_Status MPI_F08_status;
extern MPI_Fint *MPI_F_STATUS_IGNORE;
extern MPI_Fint *MPI_F_STATUSES_IGNORE;
extern MPI_F08_status *MPI_F08_STATUS_IGNORE;
extern MPI_F08_status *MPI_F08_STATUSES_IGNORE;

/*
 * Graphs are an extension: a collective operation that the program makes up. All ranks of a communicator issue a
 * graph each, in the same order as their collective operations; one without nodes will do. The k-th node that sends
 * from a rank to another meets the k-th node that receives there. MPIX_Graph_order has a node begin after another is
 * done. MPIX_Graph_tie connects the nodes that come after nothing to MPIX_GRAPH_START, and those that nothing comes
 * after to MPIX_GRAPH_END. MPIX_Graph_issue begins a graph, and does not block; MPIX_Graph_init is collective, and
 * makes a persistent request. After that the graph gets no more nodes. Buffers are the library's until the request
 * is complete. A function of a node runs in calls of its own rank, and must not communicate. A graph may be freed
 * before its requests are complete.
 */
enum {
    MPIX_GRAPH_START = 0,
    MPIX_GRAPH_END = 1
};

/* Failures of ranks, which a job of pvasrun --survive outlives: names of extensions for the same */
%s
/* Removed in MPI 3.0 */
typedef MPI_Comm_errhandler_function MPI_Handler_function;
`

// besideFunctions are prototypes without the prefixes of their names.
const besideFunctions = `int Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status);
int Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status);
int Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status);
int Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status);
int Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status);
int Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status);

/* Removed in MPI 3.0 */
int Address(void *location, MPI_Aint *address);
int Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler);
int Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int Type_extent(MPI_Datatype datatype, MPI_Aint *extent);
int Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype);
int Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype);
int Type_lb(MPI_Datatype datatype, MPI_Aint *displacement);
int Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
    MPI_Datatype array_of_types[], MPI_Datatype *newtype);
int Type_ub(MPI_Datatype datatype, MPI_Aint *displacement);
`

// beside are the prototypes with a prefix.
func beside(prefix string) string {
	var b strings.Builder
	b.WriteString("\n/* Fortran and C */\n")
	for _, c := range converted {
		b.WriteString("MPI_Fint " + prefix + "MPI_" + c[1] + "_c2f(MPI_" + c[0] + " handle);\n")
		b.WriteString("MPI_" + c[0] + " " + prefix + "MPI_" + c[1] + "_f2c(MPI_Fint handle);\n")
	}
	b.WriteString(strings.ReplaceAll("\n"+besideFunctions, "\nint ", "\nint "+prefix+"MPI_")[1:])
	return b.String()
}
