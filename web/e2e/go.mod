// The pages in a real browser. A module of its own: what drives the browser is
// large and no part of dagscope.
module dagscope/web/e2e

go 1.26.0

require (
	dagscope v0.0.0
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect

replace dagscope => ../..
