package query

import (
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxHeapBytes is what SQLite may allocate in all, for all queries of the
// program together. What sorting and joining take beyond its caches is in
// temporary files; so this bounds rows of many long values, which a few words of
// SQL make. A query that needs more fails.
const maxHeapBytes = 128 << 20

// countAllocations makes SQLite count what it allocates, which its limit needs.
// It must come before the first database is opened.
func countAllocations() error {
	tls := libc.NewTLS()
	defer tls.Close()
	arguments := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(uintptr(0))))
	if arguments == 0 {
		return errors.New("found no memory")
	}
	defer libc.Xfree(tls, arguments)
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(arguments, int32(1))); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("count SQLite's allocations: found code %d, want 0", rc)
	}
	sqlite3.Xsqlite3_hard_heap_limit64(tls, maxHeapBytes)
	return nil
}
