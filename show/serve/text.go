package serve

import "strings"

// validText replaces bytes that are no UTF-8: names in traces may be any.
func validText(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
