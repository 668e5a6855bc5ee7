package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
)

// Who may look. Everybody on a machine can connect to its loopback address, so
// a client must know the server's token: a text that is too long to guess. It
// comes as ?token=… with the address that the server printed, or as
// "Authorization: Bearer …", and is then kept in a cookie that scripts cannot
// read (HttpOnly) and that pages of other sites cannot use (SameSite=Strict).
//
// What it does not do: cookies know hosts, not ports, so that another server at
// the same host name that the same browser looks at is sent the cookie too.

// NewToken makes a token, at least 128 bits of randomness in letters and digits.
func NewToken() string { return rand.Text() }

const tokenKey = "token"

// admit reports whether a client knows the token, and returns the request without
// it; if not, or if the page is to be asked for again, the answer is given.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	if g.Token == "" {
		return r, true
	}
	cookie, err := r.Cookie(cookieName(g.Token))
	known := err == nil && g.opens(cookie.Value)
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		known = known || g.opens(strings.TrimSpace(bearer))
	}
	given := r.URL.Query().Get(tokenKey)
	switch {
	case given != "" && g.opens(given):
		http.SetCookie(w, &http.Cookie{Name: cookieName(g.Token), Value: g.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		if page(r) {
			enter(w)
			return nil, false
		}
	case !known:
		refuse(w, r, http.StatusForbidden, lockedOut(r))
		return nil, false
	}
	if given != "" {
		r = withoutToken(r)
	}
	return r, true
}

func (g *guard) opens(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.Token)) == 1
}

// cookieName is one of this server only: several at a host do not take each
// other's place.
func cookieName(token string) string {
	sum := sha256.Sum256([]byte("name of the cookie of " + token))
	return "dagscope-" + hex.EncodeToString(sum[:6])
}

// lockedOut says how to get in.
func lockedOut(r *http.Request) string {
	const open = "found no token of this server: open the address that dagscope serve printed, which ends in ?token=…"
	if navigation(r) && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return open + "; if you have done so and came here by a link, press Enter in the address bar"
	}
	return open
}

func withoutToken(r *http.Request) *http.Request {
	other := *r
	address := *r.URL
	var kept []string
	for _, p := range strings.Split(address.RawQuery, "&") {
		key, _, _ := strings.Cut(p, "=")
		if name, err := url.QueryUnescape(key); err != nil || name != tokenKey {
			kept = append(kept, p)
		}
	}
	address.RawQuery = strings.Join(kept, "&")
	other.URL = &address
	return &other
}

// A browser that brings the token is sent to the same address without it, so
// that it is in no history, bookmark or link that is passed on. The page does
// so, not a redirect: after a redirect, browsers that came from elsewhere (a
// mail, a file) would not send the cookie.
const (
	enterScript = `const to = new URL(location.href); to.searchParams.delete("token"); location.replace(to)`
	enterPage   = `<!doctype html><meta charset="utf-8"><title>dagscope</title><script>` + enterScript +
		`</script><noscript>dagscope draws with JavaScript, which is switched off here.</noscript>` + "\n"
)

func enter(w http.ResponseWriter) {
	sum := sha256.Sum256([]byte(enterScript))
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.Write([]byte(enterPage))
}
