package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestFormats(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	for _, c := range []struct {
		name  string
		write func(io.Writer, Result) error
		sql   string
		want  string
	}{
		{"table", WriteTable, `SELECT kind, start, worker AS w, 'x' AS last FROM task WHERE id > 1`, `
kind     start  w  last
trsm       100  2  x
gemm       130  2  x
acquire      -  -  x
`},
		{"table of accents", WriteTable, `SELECT 'é' AS a, 1.5 AS "µs" UNION ALL SELECT 'bb'||char(10)||'c', 1e20`, `
a         µs
é        1.5
bb\nc  1e+20
`},
		{"empty table", WriteTable, `SELECT kind FROM task WHERE 0`, `
kind
`},
		{"csv", WriteCSV, `SELECT kind, start, gflop, 'a,"b"' AS q FROM task WHERE id IN (1, 4)`, `
kind,start,gflop,q
potrf,0,1.5,"a,""b"""
acquire,,,"a,""b"""
`},
		{"json", WriteJSON, `SELECT a.kind, b.kind, a.start, a.gflop, 9e999 AS inf, x'00ff' AS blob FROM task a, task b WHERE a.id = 1 AND b.id >= 3`, `
[
{"kind":"potrf","kind_2":"gemm","start":0,"gflop":1.5,"inf":9e999,"blob":"00ff"},
{"kind":"potrf","kind_2":"acquire","start":0,"gflop":1.5,"inf":9e999,"blob":"00ff"}
]
`},
		{"empty json", WriteJSON, `SELECT kind FROM task WHERE 0`, `
[
]
`},
	} {
		rows, err := db.Query(context.Background(), c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var b strings.Builder
		if err := c.write(&b, rows); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := "\n" + b.String(); got != c.want {
			t.Errorf("%s: got%swant%s", c.name, got, c.want)
		}
	}
}

func TestJSONIsJSON(t *testing.T) {
	rows, err := open(t, InMemory(smallRun())).Query(context.Background(), `SELECT *, '"\' || char(7) AS odd FROM task`)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, rows); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 || got[2]["kind"] != "trsm" || got[0]["odd"] != "\"\\\a" || got[0]["worker"] != 1.0 || got[4]["worker"] != nil {
		t.Errorf("got %v", got)
	}
}

func TestParquet(t *testing.T) {
	rows, err := open(t, InMemory(smallRun())).Query(context.Background(),
		`SELECT start, key, gflop, CASE id WHEN 0 THEN 1 ELSE 0.5 END AS mixed, footprint, model, CASE id WHEN 0 THEN 1 ELSE 'x' END AS odd FROM task ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteParquet(&b, rows); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Start     *int64   `parquet:"start"`
		Key       *string  `parquet:"key"`
		GFlop     *float64 `parquet:"gflop"`
		Mixed     *float64 `parquet:"mixed"`
		Footprint *int64   `parquet:"footprint"`
		Model     *string  `parquet:"model"`
		Odd       *string  `parquet:"odd"`
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	if got := strings.Join(names, " "); got != "start key gflop mixed footprint model odd" {
		t.Errorf("columns are %s", got)
	}
	got, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 {
		t.Fatalf("got %d rows", len(got))
	}
	first, last := got[0], got[4]
	if *first.Start != -50 || *first.Key != "0_1" || first.GFlop != nil || *first.Mixed != 1 || first.Footprint != nil || first.Model != nil || *first.Odd != "1" {
		t.Errorf("first row is %+v", first)
	}
	if last.Start != nil || *last.Key != "0_5" || *last.Mixed != 0.5 || *last.Odd != "x" || *got[1].GFlop != 1.5 {
		t.Errorf("last row is %+v", last)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReported(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	for name, write := range map[string]func(io.Writer, Result) error{"table": WriteTable, "csv": WriteCSV, "json": WriteJSON, "parquet": WriteParquet} {
		rows, err := db.Query(context.Background(), `SELECT * FROM task`)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(full{}, rows); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", name, err)
		}
		rows.Close()
	}
}
