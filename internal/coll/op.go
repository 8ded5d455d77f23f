package coll

import "github.com/gopvas/gopvas/internal/coll/cad"

// Op is an operator on elements of Size bytes. It must be associative. What inout holds
// comes from lower ranks than what in holds. Apply is called by any rank, for any part of
// the vectors; a panic of it becomes an *OperatorError on all members.
type Op = cad.Op
