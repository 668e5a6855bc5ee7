package memory

import "testing"

func TestTrimNode(t *testing.T) {
	for _, c := range []struct {
		name string
		node int32
		want string
	}{{"3_CUDA0_1", 3, "CUDA0_1"}, {"03_CUDA0_1", 3, "CUDA0_1"}, {"3_CUDA0", 4, "3_CUDA0"}, {"CUDA0_1", 0, "CUDA0_1"}, {"3", 3, "3"}, {"_x", 0, "_x"}} {
		if got := TrimNode(c.name, c.node); got != c.want {
			t.Errorf("%s of node %d: found %s, want %s", c.name, c.node, got, c.want)
		}
	}
}
