package neighbour

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gopvas/gopvas/launcher/internal/wire"
)

// keyName is the file in the home directory by which supervisors of a user on different nodes know each other.
const keyName = ".gopvas/key"

// userKey returns the user's key. It is made at first use.
func userKey() ([]byte, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(home, keyName)
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path); err != nil && !errors.Is(err, fs.ErrExist) { // it exists: another process was faster
		return nil, err
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s must be this user's, and nobody else may read it: chown and chmod 600 it", path)
	}
	if !info.Mode().IsRegular() || info.Size() != wire.SecretSize {
		return nil, fmt.Errorf("%s is no key, which is a file of %d bytes: remove it", path, wire.SecretSize)
	}
	return os.ReadFile(path)
}

// makeKey makes the file as a whole, unless it exists.
func makeKey(path string) error {
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.CreateTemp(dir, "key-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	key := make([]byte, wire.SecretSize)
	rand.Read(key) // never fails
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
