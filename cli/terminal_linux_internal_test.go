package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"testing"

	"dagscope/internal/testenv"

	"golang.org/x/sys/unix"
)

// CSV has names as they are, for programs; on a terminal they are escaped.
func TestCSVOnTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		testenv.Missing(t, "a terminal", err.Error(), "mount devpts at /dev/pts")
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR, 0)
	if err != nil {
		testenv.Missing(t, "a terminal", err.Error(), "mount devpts at /dev/pts")
	}
	defer slave.Close()
	const line = "a\x1b[31m,b\n"
	if _, err := rawUnlessSeen(&terminal{w: slave}).Write([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(master).ReadString('\n'); err != nil || got != "a\\x1b[31m,b\r\n" {
		t.Errorf("a terminal shows %q, %v", got, err)
	}
	var pipe bytes.Buffer
	if _, err := rawUnlessSeen(&terminal{w: &pipe}).Write([]byte(line)); err != nil || pipe.String() != line {
		t.Errorf("a program reads %q, %v, want %q", pipe.String(), err, line)
	}
}
