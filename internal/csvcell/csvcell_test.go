package csvcell

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"POTRF", "POTRF"}, {"a=b", "a=b"}, {" =1", " =1"}, {"'x", "'x"}, {"−2", "−2"},
		{"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"}, {"@SUM(A1)", "'@SUM(A1)"}, {"\t=1", "'\t=1"}, {"\r=1", "'\r=1"},
		{"+1+1", "'+1+1"}, {"-2+3", "'-2+3"}, {"-", "'-"}, {"-0x", "'-0x"},
		{"-2", "-2"}, {"+1.5e3", "+1.5e3"}, {"-0.25", "-0.25"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("Text(%q) is %q, want %q", c.in, got, c.want)
		}
	}
}
