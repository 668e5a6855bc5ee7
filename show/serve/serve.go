// Package serve answers the requests of the live view: what panels show of a
// window, as tiles and frames, what is under the pointer, numbers, figures.
//
// A [Server] is an http.Handler over one or several runs and knows nothing of
// listening, files and SQL: runs come as a [Source], SQL as a function. So it
// also works where there is no network, compiled to WebAssembly. [Guard] is
// what stands before it on a network.
//
// A request goes through the same stages whatever it asks for: its parameters
// are read and checked (params.go), the columns that the answer needs are loaded
// (run.go), the panel is opened or taken from those that are open (views.go),
// and the answer is made by a bounded number of workers that begin with the
// newest request and never begin one whose client has gone (pool.go).
package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"log"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dagscope/explain/compare"
	"dagscope/trace"
)

// Source is a run that is looked at.
type Source interface {
	Name() string // short, as people call it
	Meta() trace.Meta
	Rows(table string) int
	// Load returns a run that holds at least the columns asked for, as
	// "table.column" or "table".
	Load(want ...string) (*trace.Run, error)
	Checksum() string // identifies what it holds
	// Attachment is what the run directory keeps beside the tables, or an error.
	Attachment(name string) ([]byte, error)
}

// located is a source with the path that the command line calls it by.
type located interface{ Path() string }

// SQL answers one SELECT about a run: at most limit rows, the rest is cut off.
type SQL func(ctx context.Context, run int, statement string, limit int) (*SQLResult, error)

// Options of a server. The zero value serves without client, SQL and figures
// made by plot.
type Options struct {
	Version   string
	Build     string // distinguishes builds of one version: what a browser keeps of another one is not used
	Client    fs.FS  // index.html and what it loads; nil for none
	SQL       SQL
	Workers   int               // requests that are worked on at a time, 0 for one per processor
	Time      time.Duration     // that a request may take, 0 for two minutes
	TileBytes int64             // kept in the cache of tiles, 0 for 32 MiB
	Views     int               // opened panels that are kept, 0 for 64
	Log       func(line string) // of the server's own failures, nil for the standard log
	Prove     Prover            // tries findings by simulation; nil where that is not done
	// Experiments simulates runs again, for what-if; nil where that is not done.
	Experiments Experimenter
	OpenFailed  func(run string, err error) // called when a run could not be loaded; may be nil
}

// Server answers the requests of the live view.
type Server struct {
	options  Options
	boot     string
	mu       sync.RWMutex // of runs
	runs     []*run       // by id; nil where one was removed
	opened   int          // the first of them, which stay
	stamp    string       // of all that answers depend on besides their parameters
	pool     *pool
	figures  *pool         // of one worker: figures follow each other, what one takes is what all take
	opening  chan struct{} // room for panels that are being opened
	views    *cache[viewKey, *view]
	tiles    *cache[string, []byte]
	colors   *cache[string, colorsOf]
	maps     *cache[string, *compare.Map]
	compared *cache[string, *compare.Result]
	reported *cache[int, []byte] // JSON, by run
	mux      *http.ServeMux
	asked    atomic.Int64 // when the last request came, ns since 1970
}

// New makes a server of runs, none of which is loaded yet.
func New(sources []Source, o Options) *Server {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.TileBytes <= 0 {
		o.TileBytes = 32 << 20
	}
	if o.Time <= 0 {
		o.Time = 2 * time.Minute
	}
	if o.Views <= 0 {
		o.Views = 64
	}
	if o.Log == nil {
		o.Log = func(line string) { log.Print(line) }
	}
	s := &Server{options: o, boot: newBoot(), pool: newPool(o.Workers), figures: &pool{free: 1, inTurn: true}, opening: make(chan struct{}, o.Workers)}
	for i, src := range sources {
		s.runs = append(s.runs, newRun(i, src, o.Log))
	}
	s.stamp, s.opened = stampOf(o, sources), len(s.runs)
	for _, r := range s.runs {
		r.stamp = s.stamp
	}
	s.views = newCache[viewKey, *view](int64(o.Views), nil)
	s.tiles = newCache[string](o.TileBytes, func(b []byte) int64 { return int64(len(b)) + 256 })
	s.colors = newCache[string, colorsOf](16, nil)
	s.maps = newCache[string, *compare.Map](64, nil)
	s.compared = newCache[string, *compare.Result](8, nil)
	s.reported = newCache[int, []byte](64, nil)
	s.mux = s.routes()
	return s
}

func newBoot() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Runs is the number of runs that it was made of.
func (s *Server) Runs() int { return s.opened }
