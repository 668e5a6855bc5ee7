package scene

// Size is how much a figure holds: rectangles, points of curves, arrows and texts,
// of some 40 bytes each. What painters take is in proportion to it.
func (f *Figure) Size() (n int) {
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, layers := range [][]Layer{p.Layers, p.Left, p.Right} {
			for k := range layers {
				n += layers[k].size()
			}
		}
		n += len(p.Marks) + len(p.Legend)
	}
	return n
}

func (l *Layer) size() (n int) {
	for i := range l.Rects {
		n += len(l.Rects[i].X0)
	}
	for i := range l.Areas {
		n += 2 * len(l.Areas[i].X)
	}
	for i := range l.Lines {
		n += len(l.Lines[i].X)
	}
	for i := range l.Arrows {
		n += len(l.Arrows[i].X0)
	}
	return n + len(l.Texts)
}
