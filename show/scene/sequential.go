package scene

// viridis are points of the scale of that name (Smith 2015), from the greatest
// to the least: its lightness falls evenly, so that it can be read in grey and
// by any kind of sight. Its pale end stands for little.
var viridis = []Color{RGB(0xf0f4d0), RGB(0xb5de2b), RGB(0x6ece58), RGB(0x35b779), RGB(0x1f9e89),
	RGB(0x26828e), RGB(0x31688e), RGB(0x3e4989), RGB(0x482878), RGB(0x440154)}

// Sequential are n colours from little (pale) to much (dark).
func Sequential(n int) []Color {
	out := make([]Color, n)
	for i := range out {
		at := float64(i) / float64(max(n-1, 1)) * float64(len(viridis)-1)
		k := min(int(at), len(viridis)-2)
		out[i] = viridis[k].Mix(viridis[k+1], at-float64(k))
	}
	return out
}
