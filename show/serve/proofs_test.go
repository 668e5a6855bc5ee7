package serve

import (
	"context"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
)

// Proofs arrive one by one, and end when nobody asks for them any more.
func TestProofs(t *testing.T) {
	next, ended := make(chan bool), make(chan error, 1)
	s := newTest(t, Options{Prove: func(ctx context.Context, _ Source, found []finding.Finding, _ float64, seen func(*finding.Proofs, int, int)) (*finding.Proofs, error) {
		p := &finding.Proofs{}
		for i := range found {
			select {
			case <-next:
			case <-ctx.Done():
				ended <- ctx.Err()
				return p, nil
			}
			gain := found[i].Gain
			found[i].Basis, found[i].Low, found[i].High, found[i].Command = symptom.Simulated, &gain, &gain, "dagscope whatif x"
			p.Findings, p.Proved = found, i+1
			seen(p, i+1, len(found))
		}
		<-next
		return p, nil
	}}, simulated)
	ready(t, s)
	if !getJSON[Session](t, s, "session").Features.Proofs {
		t.Error("the session does not say that there are proofs")
	}
	step := 0
	for {
		go func() { next <- true }()
		p := getJSON[Proofs](t, s, "runs/0/proofs?after="+strconv.Itoa(step))
		if p.Step <= step || len(p.Findings) == 0 || p.Error != "" {
			t.Fatalf("after step %d: found %+v", step, p)
		}
		step = p.Step
		if p.Finished {
			break
		}
		if p.Done < 1 || p.Planned < p.Done || p.Findings[0].Basis != symptom.Simulated {
			t.Errorf("found %+v, want a proved finding", p)
		}
	}

	// A page that is closed: its request ends, and so do the proofs.
	s.all()[0].proofs.now, s.all()[0].proofs.finished = Proofs{}, false
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/runs/0/proofs", nil).WithContext(ctx))
	select {
	case <-ended:
	case <-time.After(abandoned + 10*time.Second):
		t.Error("the page is gone and proofs go on")
	}
}

// Without a prover there is an answer that says so.
func TestNoProofs(t *testing.T) {
	s := newTest(t, Options{}, simulated)
	ready(t, s)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/runs/0/proofs", nil))
	if w.Code != 501 {
		t.Errorf("found status %d, want 501", w.Code)
	}
}
