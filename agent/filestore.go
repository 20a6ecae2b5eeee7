package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FileStore is a [Store] in a directory: for each run a file with its state,
// which is written beside the old one, synced and renamed, and a file with its
// journal, synced after each entry. Files can be read by their owner only: a
// conversation holds what people said.
type FileStore struct {
	// Dir is made when it doesn't exist.
	Dir string
}

// The endings of a run's files; the last one's comes behind another.
const (
	stateEnding   = ".state.json"
	journalEnding = ".journal.jsonl"
	tmpEnding     = ".tmp"
)

// Save implements [Store].
func (f FileStore) Save(_ context.Context, run string, state []byte) error {
	path, err := f.path(run, stateEnding)
	if err != nil {
		return err
	}
	if err := f.makeDir(); err != nil {
		return err
	}
	if err := replace(path, state); err != nil {
		return err
	}
	journal, err := f.path(run, journalEnding)
	if err != nil {
		return err
	}
	if err := os.Remove(journal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeDir makes the directory, so that it survives a crash of the machine.
func (f FileStore) makeDir() error {
	if _, err := os.Stat(f.Dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(f.Dir)))
}

// replace puts data into the place of a file's content, all or nothing.
func replace(path string, data []byte) error {
	tmp := path + tmpEnding
	if err := write(tmp, os.O_TRUNC, data); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename, or a new file, survive a crash of the machine.
func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the directory is the caller's choice
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func write(path string, flag int, data []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600) //nolint:gosec // the run's name is escaped
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// Append implements [Store].
func (f FileStore) Append(_ context.Context, run string, entry []byte) error {
	path, err := f.path(run, journalEnding)
	if err != nil {
		return err
	}
	if bytes.IndexByte(entry, '\n') >= 0 {
		return errors.New("agent: a journal entry must be one line")
	}
	isNew, err := mend(path)
	if err != nil {
		return err
	}
	if err := write(path, os.O_APPEND, append(bytes.Clone(entry), '\n')); err != nil {
		return err
	}
	if isNew {
		return syncDir(f.Dir)
	}
	return nil
}

// mend cuts off the entry that a crash or a full disk has left in a journal, so
// that the next one isn't written behind it in the same line. isNew: there is no
// journal yet.
func mend(path string) (isNew bool, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the run's name is escaped
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	end, err := file.Seek(0, io.SeekEnd)
	last := []byte{'\n'}
	if err == nil && end > 0 {
		_, err = file.ReadAt(last, end-1)
	}
	if err == nil && last[0] != '\n' {
		all := make([]byte, end)
		if _, err = file.ReadAt(all, 0); err == nil {
			err = file.Truncate(int64(bytes.LastIndexByte(all, '\n') + 1))
		}
	}
	return false, errors.Join(err, file.Close())
}

// Load implements [Store].
func (f FileStore) Load(_ context.Context, run string) (state []byte, journal [][]byte, err error) {
	path, err := f.path(run, stateEnding)
	if err != nil {
		return nil, nil, err
	}
	state, err = os.ReadFile(path) //nolint:gosec // the run's name is escaped
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("agent: %q: %w", run, ErrNoRun)
	}
	if err != nil {
		return nil, nil, err
	}
	if path, err = f.path(run, journalEnding); err != nil {
		return nil, nil, err
	}
	lines, err := os.ReadFile(path) //nolint:gosec // the run's name is escaped
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for line := range bytes.Lines(lines) {
		if entry, whole := bytes.CutSuffix(line, []byte("\n")); whole {
			journal = append(journal, entry)
		}
	}
	return state, journal, nil
}

// Runs lists the runs in the store, by name. Those that were inside of others,
// see [AsTool], are no runs to go on with by themselves, and are left out.
func (f FileStore) Runs() ([]string, error) {
	all, err := f.names()
	return slices.DeleteFunc(all, innerNames.MatchString), err
}

// Remove forgets a run and those that were inside of it; one that isn't there is
// no error.
func (f FileStore) Remove(run string) error {
	all, err := f.names()
	errs := []error{err, f.remove(run)}
	for _, name := range all {
		if at := innerNames.FindStringIndex(name); at != nil && name[:at[0]] == run {
			errs = append(errs, f.remove(name))
		}
	}
	return errors.Join(errs...)
}

func (f FileStore) names() ([]string, error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if escaped, ok := strings.CutSuffix(e.Name(), stateEnding); ok {
			if name, err := url.PathUnescape(escaped); err == nil {
				names = append(names, name)
			}
		}
	}
	return names, err
}

func (f FileStore) remove(run string) error {
	var errs []error
	for _, ending := range []string{stateEnding, stateEnding + tmpEnding, journalEnding} {
		path, err := f.path(run, ending)
		if err == nil {
			err = os.Remove(path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// longestName is the longest name of a file that common file systems take.
const longestName = 255

// path is the file of a run. Whatever the run's name, it lies in Dir.
func (f FileStore) path(run, ending string) (string, error) {
	name := strings.ReplaceAll(url.PathEscape(run), ".", "%2E") + ending
	switch {
	case f.Dir == "":
		return "", errors.New("agent: FileStore.Dir is empty")
	case run == "":
		return "", errors.New("agent: a run without a name can't be stored")
	case len(name)+len(tmpEnding) > longestName:
		return "", fmt.Errorf("agent: the name of the run is too long: %d bytes", len(run))
	}
	return filepath.Join(f.Dir, name), nil
}
