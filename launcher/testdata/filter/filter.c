/* filter WHAT PROGRAM... runs a program under a seccomp filter, as containers do. It
   refuses (EPERM) one of these: clone with CLONE_PARENT (parent), clone of a process that
   keeps the memory without exec (shared), close_range (close), prlimit64 and setrlimit
   (limits), process_vm_readv and process_vm_writev (reading), or what Docker and Kubernetes
   refuse to a container without capabilities, of what a job might ask for (container). Or it
   kills at the last but one call of a task that has been cloned into a space (kill). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define CLONE_PARENT 0x8000
#define CLONE_VM 0x100
#define CLONE_VFORK 0x4000
#define CLONE_THREAD 0x10000
#define NEW_NAMESPACES 0x7e020000 /* the flags CLONE_NEW... */
#define REFUSED(call) IF(call, 0, 1), REFUSE

int main(int argc, char **argv)
{
	struct sock_filter parent[] = {
		LOAD(nr), IF(SYS_clone, 0, 2), LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_PARENT, 1, 0), ALLOW, REFUSE,
	};
	struct sock_filter shared[] = {
		LOAD(nr), IF(SYS_clone, 0, 3), LOAD(args[0]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, CLONE_VM | CLONE_VFORK | CLONE_THREAD), IF(CLONE_VM, 1, 0), ALLOW, REFUSE,
	};
	struct sock_filter close[] = {
		LOAD(nr), IF(SYS_close_range, 1, 0), ALLOW, REFUSE,
	};
	struct sock_filter limit[] = {
		LOAD(nr), IF(SYS_setrlimit, 3, 0), IF(SYS_prlimit64, 2, 0), ALLOW, ALLOW, REFUSE,
	};
	struct sock_filter reading[] = {
		LOAD(nr), IF(SYS_process_vm_readv, 2, 0), IF(SYS_process_vm_writev, 1, 0), ALLOW, REFUSE,
	};
	struct sock_filter container[] = {
		LOAD(nr),
		/* what reaches other processes */
		REFUSED(SYS_process_vm_readv), REFUSED(SYS_process_vm_writev), REFUSED(SYS_ptrace), REFUSED(SYS_kcmp),
		REFUSED(SYS_pidfd_getfd), REFUSED(SYS_process_madvise),
		/* memory */
		REFUSED(SYS_mbind), REFUSED(SYS_set_mempolicy), REFUSED(SYS_get_mempolicy), REFUSED(SYS_move_pages),
		REFUSED(SYS_migrate_pages), REFUSED(SYS_userfaultfd),
		/* the machine */
		REFUSED(SYS_personality), REFUSED(SYS_perf_event_open), REFUSED(SYS_bpf), REFUSED(SYS_unshare),
		REFUSED(SYS_setns), REFUSED(SYS_mount), REFUSED(SYS_add_key), REFUSED(SYS_keyctl),
		REFUSED(SYS_io_uring_setup), REFUSED(SYS_open_by_handle_at), REFUSED(SYS_syslog),
		/* the C library tries clone when there is no clone3 */
		IF(SYS_clone3, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		IF(SYS_clone, 0, 2), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 1, 0), ALLOW, REFUSE,
	};
	struct sock_filter kill[] = {
		LOAD(nr), IF(SYS_prctl, 0, 2), LOAD(args[0]),
		IF(PR_SET_NAME, 1, 0), ALLOW, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct {
		const char *name;
		struct sock_fprog prog;
	} filters[] = {
		{"parent", {LENGTH(parent), parent}}, {"shared", {LENGTH(shared), shared}},
		{"close", {LENGTH(close), close}}, {"limits", {LENGTH(limit), limit}},
		{"reading", {LENGTH(reading), reading}}, {"container", {LENGTH(container), container}},
		{"kill", {LENGTH(kill), kill}},
	};
	struct sock_fprog *prog = NULL;
	if (argc < 3)
		return 2;
	for (size_t i = 0; i < LENGTH(filters); i++)
		if (!strcmp(argv[1], filters[i].name))
			prog = &filters[i].prog;
	if (!prog)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prog))
		return 3;
	execvp(argv[2], argv + 2);
	return 4;
}
