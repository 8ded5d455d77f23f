/* The table of the arguments of collective operations that are significant (MPI 4.1 chapter 6 and section 8.6),
   by what a rank is in the operation. The others may be anything. */

/* The arguments. Counts and displacements of a v form have an array, types of a w form, too. */
struct args {
	void *s, *r;
	int sn, rn, *sns, *rns, *sds, *rds;
	MPI_Count *snsc, *rnsc;
	MPI_Aint *sdsc, *rdsc;
	MPI_Datatype st, rt, *sts, *rts;
	MPI_Op op;
	int root;
	MPI_Comm comm;
};

/* How an operation is called: blocking, nonblocking, persistent, and each with large counts. */
enum { BLOCKING, BLOCKING_C, NONBLOCKING, NONBLOCKING_C, PERSISTENT, PERSISTENT_C, FORMS };

/* persist does what was made by an _init function. */
static int persist(int rc, MPI_Request *q) {
	if (rc || (rc = MPI_Start(q)) || (rc = MPI_Wait(q, MPI_STATUS_IGNORE))) return rc;
	return MPI_Request_free(q);
}

#define EXPAND(...) __VA_ARGS__
#define CALLS(Name, name, small, large) \
	static int do_##name(struct args *a, int form) { \
		MPI_Request q = MPI_REQUEST_NULL; \
		int rc; \
		switch (form) { \
		case BLOCKING: return MPI_##Name(EXPAND small, a->comm); \
		case BLOCKING_C: return MPI_##Name##_c(EXPAND large, a->comm); \
		case NONBLOCKING: rc = MPI_I##name(EXPAND small, a->comm, &q); \
			return rc ? rc : MPI_Wait(&q, MPI_STATUS_IGNORE); \
		case NONBLOCKING_C: rc = MPI_I##name##_c(EXPAND large, a->comm, &q); \
			return rc ? rc : MPI_Wait(&q, MPI_STATUS_IGNORE); \
		case PERSISTENT: rc = MPI_##Name##_init(EXPAND small, a->comm, MPI_INFO_NULL, &q); return persist(rc, &q); \
		} \
		rc = MPI_##Name##_init_c(EXPAND large, a->comm, MPI_INFO_NULL, &q); \
		return persist(rc, &q); \
	}
#define SAME(Name, name, list) CALLS(Name, name, list, list)

#define S a->s, a->sn, a->st
#define R a->r, a->rn, a->rt
#define SV a->s, a->sns, a->sds, a->st
#define RV a->r, a->rns, a->rds, a->rt
#define SVC a->s, a->snsc, a->sdsc, a->st
#define RVC a->r, a->rnsc, a->rdsc, a->rt
#define SWC a->s, a->snsc, a->sdsc, a->sts
#define RWC a->r, a->rnsc, a->rdsc, a->rts
SAME(Bcast, bcast, (S, a->root))
SAME(Gather, gather, (S, R, a->root))
CALLS(Gatherv, gatherv, (S, RV, a->root), (S, RVC, a->root))
SAME(Scatter, scatter, (S, R, a->root))
CALLS(Scatterv, scatterv, (SV, R, a->root), (SVC, R, a->root))
SAME(Allgather, allgather, (S, R))
CALLS(Allgatherv, allgatherv, (S, RV), (S, RVC))
SAME(Alltoall, alltoall, (S, R))
CALLS(Alltoallv, alltoallv, (SV, RV), (SVC, RVC))
CALLS(Alltoallw, alltoallw, (a->s, a->sns, a->sds, a->sts, a->r, a->rns, a->rds, a->rts), (SWC, RWC))
SAME(Reduce, reduce, (a->s, a->r, a->sn, a->st, a->op, a->root))
SAME(Allreduce, allreduce, (a->s, a->r, a->sn, a->st, a->op))
CALLS(Reduce_scatter, reduce_scatter, (a->s, a->r, a->rns, a->st, a->op), (a->s, a->r, a->rnsc, a->st, a->op))
SAME(Reduce_scatter_block, reduce_scatter_block, (a->s, a->r, a->sn, a->st, a->op))
SAME(Scan, scan, (a->s, a->r, a->sn, a->st, a->op))
SAME(Exscan, exscan, (a->s, a->r, a->sn, a->st, a->op))
SAME(Neighbor_allgather, neighbor_allgather, (S, R))
CALLS(Neighbor_allgatherv, neighbor_allgatherv, (S, RV), (S, RVC))
SAME(Neighbor_alltoall, neighbor_alltoall, (S, R))
CALLS(Neighbor_alltoallv, neighbor_alltoallv, (SV, RV), (SVC, RVC))
CALLS(Neighbor_alltoallw, neighbor_alltoallw, (a->s, a->sns, a->sdsc, a->sts, a->r, a->rns, a->rdsc, a->rts),
	(SWC, RWC))

/* What a rank is in an operation. Over an intercommunicator the root's group has the root and others, which pass
   MPI_PROC_NULL; the far group is the other one. */
enum role { ROOT, OTHER, ROOT_IN_PLACE, ALL, ALL_IN_PLACE, FIRST, INTER_ROOT, INTER_OTHER, INTER_FAR, INTER_ALL,
	NEIGHBOR, ROLES };

/* The arguments by letters: buffer, counts, displacements and types that are sent (SNDT) and received (Rndt), and the
   operator (O). A root and a communicator are always significant. */
#define ROOTED(name, root, other, in_place, inter_root, far, form) \
	{#name, do_##name, form, {[ROOT] = root, [OTHER] = other, [ROOT_IN_PLACE] = in_place, \
		[INTER_ROOT] = inter_root, [INTER_OTHER] = "", [INTER_FAR] = far}}
#define EVERY(name, all, in_place, form) {#name, do_##name, form, \
	{[ALL] = all, [ALL_IN_PLACE] = in_place, [INTER_ALL] = all}}
#define NEIGHBORS(name, all, form) {#name, do_##name, form, {[NEIGHBOR] = all}}

static const struct operation {
	const char *name;
	int (*call)(struct args *, int form);
	const char *arrays; /* the arguments that are arrays */
	const char *significant[ROLES]; /* by the role; null: there is no such role */
} operations[] = {
	/*     name         at the root  elsewhere  in place  over: root  far      arrays */
	ROOTED(bcast,       "SNT",       "SNT",     NULL,     "SNT",      "SNT",   ""),
	ROOTED(gather,      "SNTRnt",    "SNT",     "Rnt",    "Rnt",      "SNT",   ""),
	ROOTED(gatherv,     "SNTRndt",   "SNT",     "Rndt",   "Rndt",     "SNT",   "nd"),
	ROOTED(scatter,     "SNTRnt",    "Rnt",     "SNT",    "SNT",      "Rnt",   ""),
	ROOTED(scatterv,    "SNDTRnt",   "Rnt",     "SNDT",   "SNDT",     "Rnt",   "ND"),
	ROOTED(reduce,      "SRNTO",     "SNTO",    "RNTO",   "RNTO",     "SNTO",  ""),
	/*     name                 everywhere   in place  arrays */
	EVERY(allgather,            "SNTRnt",    "Rnt",    ""),
	EVERY(allgatherv,           "SNTRndt",   "Rndt",   "nd"),
	EVERY(alltoall,             "SNTRnt",    "Rnt",    ""),
	EVERY(alltoallv,            "SNDTRndt",  "Rndt",   "NDnd"),
	EVERY(alltoallw,            "SNDTRndt",  "Rndt",   "NDTndt"),
	EVERY(allreduce,            "SRNTO",     "RNTO",   ""),
	EVERY(reduce_scatter,       "SRnTO",     "RnTO",   "n"),
	EVERY(reduce_scatter_block, "SRNTO",     "RNTO",   ""),
	{"scan", do_scan, "", {[ALL] = "SRNTO", [ALL_IN_PLACE] = "RNTO"}},
	{"exscan", do_exscan, "", {[ALL] = "SRNTO", [FIRST] = "SNTO", [ALL_IN_PLACE] = "RNTO"}},
	NEIGHBORS(neighbor_allgather,  "SNTRnt",   ""),
	NEIGHBORS(neighbor_allgatherv, "SNTRndt",  "nd"),
	NEIGHBORS(neighbor_alltoall,   "SNTRnt",   ""),
	NEIGHBORS(neighbor_alltoallv,  "SNDTRndt", "NDnd"),
	NEIGHBORS(neighbor_alltoallw,  "SNDTRndt", "NDTndt"),
};

#define OPERATIONS (int)(sizeof operations / sizeof operations[0])
