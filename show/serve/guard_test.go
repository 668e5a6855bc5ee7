package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func guarded80(names ...string) http.Handler {
	return Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok")) }), Admission{Port: "8080", Names: names})
}

func TestGuard(t *testing.T) {
	const own = "127.0.0.1:8080"
	for name, c := range map[string]struct {
		host   string
		header map[string]string
		path   string
		method string
		hosts  []string
		ok     bool
	}{
		"plain":                   {host: own, ok: true},
		"localhost":               {host: "localhost:8080", ok: true},
		"ipv6":                    {host: "[::1]:8080", ok: true},
		"another port":            {host: "127.0.0.1:9090"},
		"rebinding":               {host: "evil.example:8080"},
		"looks like loopback":     {host: "127.0.0.1.evil.example:8080"},
		"no port":                 {host: "127.0.0.1"},
		"no host":                 {host: ""},
		"another machine":         {host: "10.0.0.1:8080"},
		"given host":              {host: "node7:8080", hosts: []string{"node7:8080"}, ok: true},
		"given host, other port":  {host: "node7:80", hosts: []string{"node7:8080"}},
		"given name, any port":    {host: "Node7.example", hosts: []string{"node7.Example"}, ok: true},
		"part of a given name":    {host: "evil.node7:8080", hosts: []string{"node7"}},
		"own origin":              {host: own, header: map[string]string{"Origin": "http://" + own}, ok: true},
		"origin of a tunnel":      {host: "localhost:8080", header: map[string]string{"Origin": "http://localhost:8080"}, ok: true},
		"foreign origin":          {host: own, header: map[string]string{"Origin": "http://evil.example"}},
		"origin that ends alike":  {host: own, header: map[string]string{"Origin": "http://evil." + own}},
		"another name in front":   {host: own, header: map[string]string{"Origin": "http://evil.example/http://" + own}},
		"null origin":             {host: own, header: map[string]string{"Origin": "null"}},
		"origin of another port":  {host: own, header: map[string]string{"Origin": "http://127.0.0.1:9999"}},
		"same-origin fetch":       {host: own, header: map[string]string{"Sec-Fetch-Site": "same-origin"}, ok: true},
		"typed address":           {host: own, header: map[string]string{"Sec-Fetch-Site": "none"}, ok: true},
		"foreign fetch":           {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}},
		"foreign image":           {host: own, path: "/api/v1/export", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}},
		"another port's page":     {host: own, header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}},
		"a link from elsewhere":   {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, ok: true},
		"a link into the API":     {host: own, path: "/api/v1/session", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
		"a frame of another page": {host: own, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}},
		"a form of another page":  {host: own, method: "POST", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
	} {
		method, path := c.method, c.path
		if method == "" {
			method = "GET"
		}
		if path == "" {
			path = "/"
		}
		r := httptest.NewRequest(method, path, nil)
		r.Host = c.host
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		guarded80(c.hosts...).ServeHTTP(w, r)
		if ok := w.Code == 200; ok != c.ok {
			t.Errorf("%s: found %d %s", name, w.Code, w.Body)
		}
		if w.Code != 200 {
			var f Failure
			if json.Unmarshal(w.Body.Bytes(), &f) != nil || f.Error == "" {
				t.Errorf("%s: found %s, want a sentence", name, w.Body)
			}
		}
	}
}

func TestGuardHeaders(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost:8080"
	w := httptest.NewRecorder()
	guarded80().ServeHTTP(w, r)
	for header, want := range map[string]string{"Content-Security-Policy": "default-src 'self'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer"} {
		if got := w.Header().Get(header); !strings.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", header, got, want)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "http") {
		t.Errorf("found policy %s", policy)
	}
}
