// Package campaign runs one simulation for each combination of parameters and
// keeps what came out in a table: simulations "in parallel, one process a run"
// as Stanisic 2015 and Garcia Pinto 2018, chapter 8, did with scripts, without
// the scripts.
//
// A [Plan] says what is simulated: a spec, and the points that change keys of
// it. [Plan.Run] simulates the points that the directory of the campaign lacks,
// many at once, and appends a line to its table as each of them ends, so that a
// campaign that is killed loses what was under way and no more. A point that
// cannot be simulated is a line that says why.
//
// The same points can be dealt out to the jobs of a batch system: [Plan.Part]
// runs one share into a table of its own, and [Merge] joins these (slurm.go has
// the submission). The table is the same but for how long each run took.
//
// What it does not do: it knows no run directories (the caller keeps runs), and
// it draws nothing (package show/chart).
package campaign
