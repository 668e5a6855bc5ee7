package serve

import "net/http"

// more adds the routes that are not about drawings.
func (s *Server) more(mux *http.ServeMux, get func(string, untagged)) {
	get("runs/{run}/align", s.alignment)
	get("runs/{run}/report", s.findings)
	get("runs/{run}/tasks/{key}", s.task)
	get("runs/{run}/select", s.selection)
	get("runs/{run}/select/tasks", s.selectionTasks)
	get("runs/{run}/search", s.search)
	get("compare", s.compare)
	get("runs/{run}/panels/{panel}/data", s.data)
	get("export", s.export)
	get("export/command", s.exportCommand)
	mux.Handle("POST "+api+"sql", s.answering(untagged(s.sql).handler()))
}
