package spec

import (
	"strconv"

	"dagscope/predict/plain"
	"dagscope/predict/workload/sparse"
)

// details are what a trace shows of the tasks of a factorization.
func details(p *sparse.Program) plain.Details {
	d := plain.Details{Parameters: func(task int32, to []byte) []byte {
		var buffer [8]float64
		for i, v := range p.Parameters(task, buffer[:0]) {
			if i > 0 {
				to = append(to, ' ')
			}
			to = append(to, parameterNames[p.Kind(task)][i]...)
			to = append(to, '=')
			to = strconv.AppendFloat(to, v, 'f', -1, 64)
		}
		return to
	}}
	n := int32(len(p.Fronts))
	d.TreeKey, d.TreeParent = make([]int64, n), make([]int32, n)
	for f, front := range p.Fronts { // children come first there, parents here
		row := n - 1 - int32(f)
		d.TreeKey[row], d.TreeParent[row] = int64(f)+1, -1
		if front.Parent >= 0 {
			d.TreeParent[row] = n - 1 - front.Parent
		}
	}
	d.TreeNode = make([]int32, p.Graph.Tasks())
	for i, f := range p.Front {
		d.TreeNode[i] = n - 1 - f
	}
	d.GFlops = func(task int32) float64 { return float64(p.Flops(task)) / 1e9 }
	return d
}
