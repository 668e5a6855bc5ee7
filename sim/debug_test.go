package sim_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"testing"

	"dagscope/sim"
)

// TestDebugLog is a development aid.
func TestDebugLog(t *testing.T) {
	out := os.Getenv("SIM_LOG")
	if out == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("SIM_N"))
	tile := 960
	if x := os.Getenv("SIM_TILE"); x != "" {
		tile, _ = strconv.Atoi(x)
	}
	host := os.Getenv("SIM_HOST")
	if host == "" {
		host = "mirage"
	}
	m, o := settings(n, os.Getenv("SIM_VARIANT"))
	s := choleskyOn(t, host, n, tile, m)
	f, _ := os.Create(out)
	w := bufio.NewWriter(f)
	sim.Observe(func(now float64, actor, what string, amount float64) {
		fmt.Fprintf(w, "%.12f %s %s %.3f 0\n", now*1e6, actor, what, amount*1e6)
	})
	r := s.run(t, os.Getenv("SIM_SCHED"), o)
	sim.Observe(nil)
	w.Flush()
	f.Close()
	t.Log(r.Makespan)
}
