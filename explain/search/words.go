package search

import "strings"

// String is the query as understood, in words.
func (q *Query) String() string {
	if len(q.terms) == 0 {
		return "all tasks"
	}
	parts := make([]string, len(q.terms))
	for i, t := range q.terms {
		parts[i] = t.String()
	}
	return "tasks " + strings.Join(parts, " and ")
}

// String is one condition, to follow "tasks".
func (t term) String() string {
	values := make([]string, len(t.values))
	for i, v := range t.values {
		values[i] = v.text
	}
	list := strings.Join(values, " or ")
	switch kind := fields[t.field]; {
	case t.field == "":
		return pick(t.not, "without ", "with ") + quoted(values) + " as kind, id, tag or worker"
	case kind == flags:
		return pick(t.not, "that are not ", "that are ") + flagWords[t.field]
	case t.op == ":" || t.op == "=":
		return pick(t.not, "whose "+t.field+" is not ", "whose "+t.field+" is ") + list
	}
	return pick(t.not, "whose "+t.field+" is not ", "whose "+t.field+" is ") + t.op + " " + list
}

var flagWords = map[string]string{
	"outlier": "outliers", "generation": "generation", "internal": "the runtime's own", "unrun": "never run",
}

func pick(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

func quoted(values []string) string {
	return "“" + strings.Join(values, "” or “") + "”"
}
