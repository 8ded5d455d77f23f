package exit

const machine = "\x3e\x00" // EM_X86_64

// code is exit_group(argc - 1).
const code = "\x8b\x3c\x24" + // movl (%rsp), %edi
	"\xff\xcf" + // decl %edi
	"\xb8\xe7\x00\x00\x00" + // movl $231, %eax
	"\x0f\x05" + // syscall
	"\xcc\xcc\xcc\xcc"
