package sparse

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dagscope/predict/workload"
)

// FrontColumnNames are the columns of a table of fronts.
var FrontColumnNames = [...]string{"front", "parent", "npiv_cols", "n", "m", "arows_end", "small", "subtree_flops", "asize", "csize", "torder_pos"}

// FrontTable is the table of fronts as qr_mumps numbers them, from 1, the
// artificial root last: parent, pivots, columns and rows; rows of the matrix
// assembled so far; 0, or the first front of the subtree that is one task
// (positive for its root, negative inside); flops of the subtree; bytes
// allocated and released; and its place in the order of submission.
func (a *Analysis) FrontTable(p *Pruning) [][len(FrontColumnNames)]int64 {
	table := make([][len(FrontColumnNames)]int64, len(a.Fronts))
	rows := int64(0)
	for f := range a.Fronts {
		front := &a.Fronts[f]
		rows += int64(front.RowsOfA)
		table[f] = [...]int64{
			int64(f + 1), int64(front.Parent + 1), int64(front.Pivots), int64(front.Cols), int64(front.Rows), rows,
			int64(p.Small[f]), front.Subtree, p.Allocated[f], p.Freed[f], int64(f + 1),
		}
	}
	return table
}

// WriteFronts writes the table of fronts as CSV.
func (a *Analysis) WriteFronts(w io.Writer, p *Pruning) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(FrontColumnNames[:], ","))
	for _, row := range a.FrontTable(p) {
		var line []byte
		for k, v := range row {
			if k > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, v, 10)
		}
		out.Write(append(line, '\n')) // errors stay until Flush
	}
	return out.Flush()
}

// WritePerm writes an order of columns as ReadPerm reads it.
func WritePerm(w io.Writer, perm []int32) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "col")
	for _, j := range perm {
		out.Write(append(strconv.AppendInt(out.AvailableBuffer(), int64(j), 10), '\n'))
	}
	return out.Flush()
}

const taskHeader = "id,kind,front,i,j,MB,NB,BK,fronts,zeros,coefficients,released,flops,prio,mem_delta_start,mem_delta_end,accesses\n"

// parameterColumns are where the table of tasks has the parameters of each kind:
// the first of seven columns, from MB to released.
var parameterColumns = [...]int{DoSubtree: 3, Activate: 4, Assemble: 5, Panel: 0, Update: 0, Deactivate: 6}

// WriteTasks writes the table of tasks as CSV, in the order of submission.
// Fronts count from 1, tasks from 0. Accesses are a mode (R, RW, or C for an
// update in any order) and the number of a handle each.
func (p *Program) WriteTasks(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(taskHeader)
	for task := range int32(p.Graph.Tasks()) {
		out.Write(p.appendTask(out.AvailableBuffer(), task)) // errors stay until Flush
	}
	return out.Flush()
}

func (p *Program) appendTask(line []byte, task int32) []byte {
	line = append(strconv.AppendInt(line, int64(task), 10), ',')
	line = append(append(line, KindNames[p.Kind(task)]...), ',')
	for _, v := range []int32{p.Front[task] + 1, p.I[task], p.J[task]} {
		line = append(strconv.AppendInt(line, int64(v), 10), ',')
	}
	parameters, first := p.Parameters(task, make([]float64, 0, 3)), parameterColumns[p.Kind(task)]
	for k := range 7 {
		if k >= first && k < first+len(parameters) {
			line = strconv.AppendInt(line, int64(parameters[k-first]), 10)
		}
		line = append(line, ',')
	}
	for _, v := range []int64{p.Flops(task), int64(p.Graph.Priority[task]), p.Graph.StartBytes[task], p.Graph.EndBytes[task]} {
		line = append(strconv.AppendInt(line, v, 10), ',')
	}
	return append(p.appendAccesses(line, task), '\n')
}

func (p *Program) appendAccesses(line []byte, task int32) []byte {
	g := p.Graph
	for k := g.AccessAt[task]; k < g.AccessAt[task+1]; k++ {
		if k > g.AccessAt[task] {
			line = append(line, ' ')
		}
		switch {
		case g.Mode[k]&workload.Commute != 0:
			line = append(line, 'C')
		case g.Mode[k] == workload.Read:
			line = append(line, 'R')
		default:
			line = append(line, "RW"...)
		}
		line = strconv.AppendInt(line, int64(g.Handle[k]), 10)
	}
	return line
}
