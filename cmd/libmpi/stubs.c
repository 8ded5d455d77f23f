// The functions for C. The go command compiles only what lies beside the package.
#include "gen/stubs.c"
