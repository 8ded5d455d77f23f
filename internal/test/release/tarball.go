package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// writeTarball writes a folder, in the order of its names, as files of root of one time.
func writeTarball(file, folder string, at time.Time) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	zip, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(zip)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(folder), path)
		if err != nil {
			return err
		}
		return addTo(w, path, name, d, at)
	})
	return errors.Join(err, w.Close(), zip.Close())
}

func addTo(w *tar.Writer, path, name string, d fs.DirEntry, at time.Time) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	h := &tar.Header{Name: name, ModTime: at, Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX}
	switch {
	case d.IsDir():
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, name+"/", 0o755
		return w.WriteHeader(h)
	case d.Type() == fs.ModeSymlink:
		if h.Linkname, err = os.Readlink(path); err != nil {
			return err
		}
		h.Typeflag = tar.TypeSymlink
		return w.WriteHeader(h)
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
