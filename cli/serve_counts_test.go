package cli

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A server says what it holds where its environment asks for that, on standard
// error and nowhere else.
func TestServeCounts(t *testing.T) {
	t.Setenv(countsVariable, "20ms")
	v := serving(t, storedRuns(t)[0])
	line := regexp.MustCompile(`(?m)^counts: goroutines [1-9]\d*, connections \d+, live bytes \d+$`)
	for began := time.Now(); len(line.FindAllString(v.errs.String(), -1)) < 3; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("found %q, want counts", v.errs)
		}
	}
	for _, path := range []string{"/debug/pprof/", "/debug/vars", "/api/v1/counts", "/metrics"} {
		if code, _, body := v.get(http.DefaultClient, path, "Authorization", "Bearer "+v.token); code != 404 || strings.Contains(body, "goroutine") {
			t.Errorf("%s: found %d %.200s, want 404", path, code, body)
		}
	}
}

func TestServeCountsRefusesNonsense(t *testing.T) {
	for _, text := range []string{"x", "1", "-1s", "0s", "1ns"} {
		t.Setenv(countsVariable, text)
		if _, err := countsEvery(); err == nil || !strings.Contains(err.Error(), countsVariable) {
			t.Errorf("%q: found %v, want an error", text, err)
		}
	}
	t.Setenv(countsVariable, "")
	if every, err := countsEvery(); every != 0 || err != nil {
		t.Errorf("found %v, %v, want none", every, err)
	}
}
