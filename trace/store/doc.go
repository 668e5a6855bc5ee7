// Package store keeps a run on disk: the run directory NAME.dsr, one Parquet
// file per table and a manifest that says what is in them
// (docs/run-format.md is the contract with other readers).
//
// The problem is threefold. A run of 1e7 tasks must be written and read at the
// speed of the disk, although most analyses want three columns of it. Any other
// Parquet reader (DuckDB, pandas, R) must see ordinary tables with real nulls,
// not our sentinels. And an import that is killed, or a full disk, must leave
// the old run or the new one, never half of one.
//
// The approach: the schema of package trace drives one implementation for all
// tables (encode.go, decode.go); each column of each row group of a million
// rows is a job of its own, so that both directions use all cores; pages are
// copied into columns whole, never row by row through reflection. [Write] fills
// a directory beside the final one, syncs it and exchanges the two in one step
// (replace.go).
//
// What it does not do: of what a run promises it checks, where asked (Checked),
// that references are rows of their tables, not the rest, which is Validate; it
// appends to no run; and of files forged on purpose it bounds row counts and page
// sizes (pages.go), not what a run length inside a page with a good checksum claims.
package store
