// Package perfmodel tells how long kernels take: it reads the performance
// models that StarPU measured, fits models to the tasks of a run, and keeps
// them in a small YAML form. Durations are in nanoseconds, as float64.
//
// A model belongs to a kind of tasks on an architecture, or on one device. It
// is a history (the mean of tasks with equal data), a regression (a sum of
// products of powers of what is known of a task), a mean, or a sample to draw
// from (Stanisic 2015, section V, docs/design/starpu.md, Performance models).
package perfmodel
