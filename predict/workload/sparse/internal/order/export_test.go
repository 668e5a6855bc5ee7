package order

import "fmt"

// Check says what is wrong with a pattern; the orderings expect one that is right.
func (p Pattern) Check() error {
	if p.Rows < 0 || p.Cols < 0 {
		return fmt.Errorf("check a pattern: %d rows, %d columns", p.Rows, p.Cols)
	}
	if len(p.ColAt) != p.Cols+1 && (p.Cols > 0 || len(p.ColAt) > 1) {
		return fmt.Errorf("check a pattern: %d offsets of columns, want %d", len(p.ColAt), p.Cols+1)
	}
	for j := range p.Cols {
		if err := p.checkCol(j); err != nil {
			return err
		}
	}
	return nil
}

func (p Pattern) checkCol(j int) error {
	from, to := p.ColAt[j], p.ColAt[j+1]
	if from < 0 || to < from || to > int64(len(p.Row)) {
		return fmt.Errorf("check column %d of a pattern: entries %d to %d of %d", j, from, to, len(p.Row))
	}
	last := int32(-1)
	for _, i := range p.Row[from:to] {
		if i <= last || int(i) >= p.Rows {
			return fmt.Errorf("check column %d of a pattern: row %d after row %d of %d", j, i, last, p.Rows)
		}
		last = i
	}
	return nil
}
