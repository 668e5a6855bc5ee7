// Package models draws what explains the durations of tasks: their work, models fitted
// to it, and hardware counters.
package models
