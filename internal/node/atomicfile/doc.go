// Package atomicfile replaces files as a whole: a reader finds the old text or the new one, also
// after a full disk, a failed write or a crash. The new text is written to a temporary file in the
// same folder and flushed to the disk (fsync). That file is then renamed, as POSIX has rename(2).
//
// A symbolic link stays one: the file behind the link is replaced. A file with several names (hard
// links) keeps its old text under the others. Only files are replaced, no device and no pipe.
//
// A file on which another is mounted, as containers do with files of their host, cannot be replaced. It is
// overwritten, so a crash may leave a part. If that fails, the temporary file stays, and the error names it.
package atomicfile
