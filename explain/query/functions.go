package query

import (
	"database/sql/driver"
	"fmt"
	"math"

	"modernc.org/sqlite"
)

// registerFunctions adds the aggregates that SQLite lacks and that durations
// ask for: median(x) and quantile(x, p).
func registerFunctions(d *sqlite.Driver) error {
	asMedian := func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
		return &quantile{p: 0.5, order: order{room: room}}, nil
	}
	if err := d.RegisterFunction("median", &sqlite.FunctionImpl{NArgs: 1, Deterministic: true, MakeAggregate: asMedian}); err != nil {
		return err
	}
	return d.RegisterFunction("quantile", &sqlite.FunctionImpl{NArgs: 2, Deterministic: true, MakeAggregate: asMedian})
}

// quantile collects the numbers of a group; NULL is left out. The quantile is
// of type 7, linear interpolation between order statistics, as everywhere in
// dagscope and as R's default (Hyndman 1996).
type quantile struct {
	p float64
	order
}

// Step takes a row: the number and, for quantile, the probability.
func (q *quantile) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if len(args) == 2 {
		p, ok := number(args[1])
		if !ok || p < 0 || p > 1 {
			return fmt.Errorf("compute quantile: found probability %v, want a number from 0 to 1", args[1])
		}
		q.p = p
	}
	if args[0] == nil {
		return nil
	}
	v, ok := number(args[0])
	if !ok {
		return fmt.Errorf("compute quantile: found %q, want a number", args[0])
	}
	if !q.add(v) {
		return fmt.Errorf("compute quantile: found more than %d numbers at a time, want fewer: narrow the query with WHERE or GROUP BY", q.room.all.Load())
	}
	return nil
}

// WindowInverse removes a number that Step took.
func (q *quantile) WindowInverse(_ *sqlite.FunctionContext, args []driver.Value) error {
	if v, ok := number(args[0]); ok {
		q.remove(v)
	}
	return nil
}

// WindowValue is the quantile of the numbers taken so far.
func (q *quantile) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if q.n == 0 {
		return nil, nil
	}
	h := q.p * float64(q.n-1)
	i := int(math.Floor(h))
	low, high := q.two(i)
	return low + (h-float64(i))*(high-low), nil
}

// Final gives back what the numbers took; it is called however a query ends.
func (q *quantile) Final(*sqlite.FunctionContext) { q.clear() }

func number(v driver.Value) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
