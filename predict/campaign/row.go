package campaign

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Row is a point and what came of it.
type Row struct {
	Values []string // by key of the plan
	Metrics
}

// Metrics are what is known of a simulated run. Times are ns; what a run does
// not have is NaN (shares) or 0. Names end in their unit.
type Metrics struct {
	Makespan     int64   `column:"makespan_ns"`       // from the first submission to the end of the last task
	Area         int64   `column:"area_bound_ns"`     // greatest of the area bounds of all nodes together and of each
	CriticalPath int64   `column:"critical_path_ns"`  // each task where it is fastest
	Bound        float64 `column:"bound_share"`       // greater of the two, as a share of the makespan
	Idle         float64 `column:"idle_share"`        // of the workers' time until the end
	IdleCPU      float64 `column:"cpu_idle_share"`    // that of CPU workers
	IdleDevice   float64 `column:"device_idle_share"` // that of device workers
	GFlops       float64 `column:"gflops"`            // operations of the tasks over the makespan, 1e9/s
	Transfers    int64   `column:"transfers"`         // between memories of a node
	Bytes        int64   `column:"transferred_bytes"` // in them
	Messages     int64   `column:"messages"`          // between nodes
	MessageBytes int64   `column:"message_bytes"`     // in them
	PeakRAM      int64   `column:"peak_ram_bytes"`    // most that the runtime allocated at a time, in the fullest node's RAM
	PeakDevice   int64   `column:"peak_device_bytes"` // in the fullest device
	Tasks        int64   `column:"tasks"`             // with work
	Workers      int64   `column:"workers"`           //
	Nodes        int64   `column:"nodes"`             //
	Events       int64   `column:"events"`            // instants at which something happened
	Seconds      float64 `column:"seconds"`           // that simulating took
	Run          string  `column:"run"`               // directory of the run, within that of the campaign
	Warnings     string  `column:"warnings"`          // what is a guess or extrapolated
	Error        string  `column:"error"`             // why there is no run; then all else is empty
}

// Failed tells whether a run could not be simulated.
func (m *Metrics) Failed() bool { return m.Error != "" }

// Failure is what is known of a run that could not be simulated.
func Failure(err error) Metrics {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	none := math.NaN()
	return Metrics{Error: text, Bound: none, Idle: none, IdleCPU: none, IdleDevice: none, GFlops: none, Seconds: none}
}

// columns are the names of the metrics in the order of the table.
var columns = func() (names []string) {
	t := reflect.TypeFor[Metrics]()
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("column"))
	}
	return names
}()

// Columns are the names of the metrics, in the order of the table.
func Columns() []string { return append([]string(nil), columns...) }

// Value is a metric by its name, NaN if it is no number or there is none.
func (m *Metrics) Value(column string) float64 {
	if m.Failed() {
		return math.NaN()
	}
	v := reflect.ValueOf(m).Elem()
	for i, name := range columns {
		switch f := v.Field(i); {
		case name != column:
		case f.Kind() == reflect.Int64:
			return float64(f.Int())
		case f.Kind() == reflect.Float64:
			return f.Float()
		}
	}
	return math.NaN()
}

// cells are the metrics as texts: nothing where a number is not known, or the
// run failed.
func (m *Metrics) cells() []string {
	v := reflect.ValueOf(m).Elem()
	cells := make([]string, len(columns))
	for i := range cells {
		switch f := v.Field(i); {
		case f.Kind() == reflect.String:
			cells[i] = f.String()
		case m.Failed():
		case f.Kind() == reflect.Int64:
			cells[i] = strconv.FormatInt(f.Int(), 10)
		case !math.IsNaN(f.Float()):
			cells[i] = strconv.FormatFloat(f.Float(), 'g', -1, 64)
		}
	}
	return cells
}

// parse reads what cells wrote.
func (m *Metrics) parse(cells []string) error {
	v := reflect.ValueOf(m).Elem()
	for i, s := range cells {
		var err error
		switch f := v.Field(i); {
		case f.Kind() == reflect.String:
			f.SetString(s)
		case f.Kind() == reflect.Float64:
			x := math.NaN()
			if s != "" {
				x, err = strconv.ParseFloat(s, 64)
			}
			f.SetFloat(x)
		case s != "":
			var x int64
			x, err = strconv.ParseInt(s, 10, 64)
			f.SetInt(x)
		}
		if err != nil {
			return fmt.Errorf("found %q in column %s, want a number", s, columns[i])
		}
	}
	return nil
}
