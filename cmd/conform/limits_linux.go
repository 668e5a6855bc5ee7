package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// limitAddresses makes the kernel refuse memory that no watchdog would see coming.
func limitAddresses() error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: hardMemory, Max: hardMemory})
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are fixed
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak makes [peakMemory] begin with what is held now.
func forgetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMemory is the largest amount that was resident since forgetPeak, in bytes.
func peakMemory() int64 { return status("VmHWM:") }

// memoryNow is what is resident.
func memoryNow() int64 { return status("VmRSS:") }

func status(key string) int64 {
	all, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, value, _ := bytes.Cut(all, []byte(key))
	fields := bytes.Fields(value)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
