package taskcsv

// ready derives when tasks could have started, where the file does not have it.
func (t *table) ready() {
	if t.header.has(readyField) || len(t.b.Run.Dep.To) == 0 && !t.header.has(submitField) {
		return
	}
	t.b.DeriveReady()
}
