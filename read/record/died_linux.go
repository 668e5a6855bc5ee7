package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A program that a signal ends says nothing more. Whoever started it sees when that was,
// and by which signal, and writes it into the headers of the recordings
// (docs/ompt-format.md): else what it did after its last event would be missing.

// Where a file's header has its process, how far it came, and what is written here.
const (
	headerMagic = "DSOMOMPT"
	headerState = 96 // 0 while the process records
	headerPid   = 100
	headerDied  = 152 // and the signal behind it
	headerBytes = 168
)

// deaths watches the processes that record into a folder.
type deaths struct {
	dir  string
	stop chan struct{}
	done sync.WaitGroup
	mu   sync.Mutex
	at   map[int]uint64 // by process: CLOCK_MONOTONIC, ns
	seen map[string]bool
}

// lookEvery is how often new files are looked for: a process that lives shorter, and is
// not the command itself, is taken to have ended with the command.
const lookEvery = 50 * time.Millisecond

func watchDeaths(dir string) *deaths {
	d := &deaths{dir: dir, stop: make(chan struct{}), at: map[int]uint64{}, seen: map[string]bool{}}
	if dir == "" {
		return d
	}
	d.done.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-d.stop:
				return
			case <-tick.C:
				d.look()
			}
		}
	})
	return d
}

// look waits for each process that it sees for the first time.
func (d *deaths) look() {
	for _, path := range d.files() {
		if d.seen[path] {
			continue
		}
		pid, running := recordingProcess(path)
		if pid == 0 {
			continue // not begun yet
		}
		d.seen[path] = true
		if !running {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		d.done.Go(func() { d.wait(pid, fd) })
	}
}

// wait notes when a process ends.
func (d *deaths) wait(pid, fd int) {
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(lookEvery/time.Millisecond))
		if n > 0 {
			now := monotonic()
			d.mu.Lock()
			d.at[pid] = now
			d.mu.Unlock()
			return
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		select {
		case <-d.stop:
			return
		default:
		}
	}
}

func (d *deaths) files() []string {
	paths, _ := filepath.Glob(filepath.Join(d.dir, "*.dsom*")) // the only error is a bad pattern
	return paths
}

// end writes into all recordings whose process is gone and did not end them when that
// was. The command itself ended at a time, by a signal if any.
func (d *deaths) end(command int, at uint64, signal syscall.Signal) error {
	close(d.stop)
	d.done.Wait()
	if d.dir == "" {
		return nil
	}
	var all []error
	for _, path := range d.files() {
		pid, running := recordingProcess(path)
		if pid == 0 || !running || unix.Kill(pid, 0) == nil {
			continue
		}
		died, known := d.at[pid]
		var by syscall.Signal
		if pid == command || !known {
			died = at
		}
		if pid == command {
			by = signal
		}
		all = append(all, writeDeath(path, died, by))
	}
	return errors.Join(all...)
}

// recordingProcess is the process of a recording, and whether it has not ended it; 0 for
// what is none.
func recordingProcess(path string) (pid int, recording bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	head := make([]byte, headerBytes)
	if n, _ := file.ReadAt(head, 0); n < len(head) || !strings.HasPrefix(string(head), headerMagic) {
		return 0, false
	}
	little := binary.LittleEndian
	return int(little.Uint32(head[headerPid:])), little.Uint32(head[headerState:]) == 0
}

func writeDeath(path string, at uint64, signal syscall.Signal) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("note the end of a process: %w", err)
	}
	words := binary.LittleEndian.AppendUint64(nil, at)
	words = binary.LittleEndian.AppendUint32(words, uint32(signal))
	_, err = file.WriteAt(words, headerDied)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("note the end of a process: %w", err)
	}
	return nil
}

// monotonic is the clock of recordings.
func monotonic() uint64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return uint64(now.Nano())
}
