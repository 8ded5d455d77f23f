// Python as a position independent program: ranks that run it share an address space. The
// python3 of most distributions is not position independent. Written by pvasrun install-mpi.
//
// It takes what python3 takes, and is the Python of the virtual environment that is active. A module finds
// the MPI library by its name alone, as it was linked: the program's DT_RPATH has the folder.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

static PyStatus initialize(PyConfig *config, int argc, char **argv) {
	const char *environment = getenv("VIRTUAL_ENV");
	PyStatus status = PyConfig_SetBytesArgv(config, argc, argv);
	if (!PyStatus_Exception(status) && environment != NULL) {
		char path[4096];
		snprintf(path, sizeof path, "%s/bin/python3", environment);
		status = PyConfig_SetBytesString(config, &config->executable, path);
	}
	return PyStatus_Exception(status) ? status : Py_InitializeFromConfig(config);
}

int main(int argc, char **argv) {
	PyConfig config;
	PyConfig_InitPythonConfig(&config);
	PyStatus status = initialize(&config, argc, argv);
	PyConfig_Clear(&config);
	if (PyStatus_Exception(status))
		Py_ExitStatusException(status);
	return Py_RunMain();
}
