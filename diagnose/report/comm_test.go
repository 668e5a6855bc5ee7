package report_test

import (
	"testing"

	"dagscope/diagnose/report"
	"dagscope/trace/tracetest"
)

// What nodes receive is what others send and what pairs sum up to; the parts of
// the last path are its time.
func TestCommunicationAddsUp(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 9, Nodes: 4, CPUs: 2})
	m := report.Compute("r", run, report.Options{}).Communication
	if m == nil || m.Messages == 0 {
		t.Fatal("no communication")
	}
	var in, out, pairs, bytesIn, bytesOut int64
	for _, n := range m.Nodes {
		in, out, bytesIn, bytesOut = in+n.In, out+n.Out, bytesIn+n.BytesIn, bytesOut+n.BytesOut
		if n.MeanIn > float64(n.MostIn) || n.MeanOut > float64(n.MostOut) {
			t.Errorf("%+v", n)
		}
	}
	for _, p := range m.Pairs {
		pairs += p.Messages
	}
	if in != m.Messages || out != in || pairs != in || bytesIn != m.Bytes || bytesOut != bytesIn {
		t.Errorf("%d in, %d out, %d in pairs, %d in all; %d and %d of %d bytes", in, out, pairs, m.Messages, bytesIn, bytesOut, m.Bytes)
	}
	if m.Longest == nil || m.Longest.Work+m.Longest.Flight != m.Longest.Time {
		t.Errorf("longest path %+v", m.Longest)
	}
}

// One node has no section.
func TestNoCommunicationOnOneNode(t *testing.T) {
	if m := report.Compute("r", tracetest.Cholesky(tracetest.Options{Tiles: 5}), report.Options{}).Communication; m != nil {
		t.Errorf("%+v", m)
	}
}
