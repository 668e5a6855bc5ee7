package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dagscope/explain/query"
	"dagscope/internal/words"

	"github.com/spf13/cobra"
)

type queryFlags struct {
	tables, csv, json bool
	parquet           string
}

func newQuery() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query RUN SQL",
		Short: "SQL over the tables of a run",
		Long: `Runs one SELECT over the tables of a run and prints the result as an aligned
table, CSV, JSON or a Parquet file. With - for SQL, the query is read from
standard input. Only the columns that the query names are read.

Times are ns since the run's zero; what is not known is NULL. Names that are
also SQL words need double quotes: "from", "to", "order", "index", "table".
Besides SQLite's functions there are median(x) and quantile(x, p).`,
		Example: `  dagscope query run.dsr --tables
  dagscope query run.dsr 'SELECT kind, arch, count(*), median(duration) FROM tasks GROUP BY kind, arch'
  dagscope query run.dsr 'SELECT * FROM tasks ORDER BY duration DESC LIMIT 10' --csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.tables {
				return arguments("RUN")(cmd, args)
			}
			return arguments("RUN SQL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runQuery(cmd, f, args) },
	}
	cmd.Flags().BoolVar(&f.tables, "tables", false, "list tables, views and their columns instead")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "print CSV"+apostrophes)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, an object for each row")
	cmd.Flags().StringVar(&f.parquet, "parquet", "", "write a Parquet `file` and print nothing")
	cmd.MarkFlagsMutuallyExclusive("csv", "json", "parquet")
	cmd.MarkFlagsMutuallyExclusive("tables", "csv")
	cmd.MarkFlagsMutuallyExclusive("tables", "parquet")
	return cmd
}

func runQuery(cmd *cobra.Command, f queryFlags, args []string) error {
	r, err := openRun(args[0])
	if err != nil {
		return err
	}
	db, err := query.Open(r, computed(r)...)
	if err != nil {
		return err
	}
	defer db.Close()
	if f.tables {
		return listTables(cmd.OutOrStdout(), db.Tables(), f.json)
	}
	statement, err := readStatement(cmd.InOrStdin(), args[1])
	if err != nil {
		return err
	}
	return answer(cmd.Context(), cmd.OutOrStdout(), db, statement, f)
}

func readStatement(in io.Reader, argument string) (string, error) {
	if argument == "-" {
		text, err := io.ReadAll(in)
		if err != nil {
			return "", fmt.Errorf("read the query: %w", err)
		}
		argument = string(text)
	}
	if strings.TrimSpace(argument) == "" {
		return "", usagef("found an empty query, want one SELECT")
	}
	return argument, nil
}

func answer(ctx context.Context, out io.Writer, db *query.DB, statement string, f queryFlags) error {
	rows, err := db.Query(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	switch {
	case f.csv:
		return query.WriteCSV(rawUnlessSeen(out), rows)
	case f.json:
		return query.WriteJSON(raw(out), rows)
	case f.parquet != "":
		return writeFile(f.parquet, func(w io.Writer) error { return query.WriteParquet(w, rows) })
	}
	return query.WriteTable(out, rows)
}

// tableDoc is a table as --tables --json prints it.
type tableDoc struct {
	Name    string      `json:"name"`
	Type    string      `json:"type"` // table or view
	Doc     string      `json:"doc"`
	Rows    *int        `json:"rows,omitempty"` // of a table
	Columns []columnDoc `json:"columns"`
}

type columnDoc struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit,omitempty"`
	Doc  string `json:"doc"`
}

func listTables(w io.Writer, all []query.TableDoc, asJSON bool) error {
	if asJSON {
		return writeJSON(w, tableDocs(all))
	}
	var b strings.Builder
	for i, t := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		amount := "view"
		if t.Rows >= 0 {
			amount = words.Plural(t.Rows, "row")
		}
		fmt.Fprintf(&b, "%s (%s): %s\n", t.Name, amount, t.Doc)
		g := grid{indent: "  "}
		for _, c := range t.Columns {
			g.add(c.Name, strings.TrimSpace(c.Type+" "+c.Unit), c.Doc)
		}
		g.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tableDocs(all []query.TableDoc) []tableDoc {
	var docs []tableDoc
	for _, t := range all {
		d := tableDoc{Name: t.Name, Type: t.Type, Doc: t.Doc}
		if t.Rows >= 0 {
			d.Rows = &t.Rows
		}
		for _, c := range t.Columns {
			d.Columns = append(d.Columns, columnDoc{c.Name, c.Type, c.Unit, c.Doc})
		}
		docs = append(docs, d)
	}
	return docs
}
