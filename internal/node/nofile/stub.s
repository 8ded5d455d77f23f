// An assembly file, though empty, lets prlimit be declared without a body.
