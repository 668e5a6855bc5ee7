package serve

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
)

// figure is a view as a figure of plot: its runs and what is set, in the words
// of the command line.
type figureRequest struct {
	runs   []*run
	format string
	flags  []string    // --panels, --from, …, each followed by its value
	sets   [][2]string // KEY, VALUE of --set
	spec   *figure.Spec
}

// figureFormats are those of package render, the usual one first.
var figureFormats = []string{"svg", "pdf", "png"}

// figure reads what is to be exported. Everything is set in the way in which
// the command line sets it, so that both make the same figure.
func (s *Server) figure(r *http.Request) (*figureRequest, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	w := q.window()
	width := q.whole("width", 1, mostWidth, 1000)
	f := &figureRequest{format: q.word("format", figureFormats...), sets: q.options.keys}
	if q.err != nil {
		return nil, q.err
	}
	for _, id := range q.list("runs") {
		run, err := s.find(id)
		if err != nil {
			return nil, err
		}
		if slices.Contains(f.runs, run) {
			return nil, wrong("found run %s more than once, want each once", shortened(id))
		}
		f.runs = append(f.runs, run)
	}
	if f.runs == nil {
		f.runs = s.all()
	}
	if n := len(f.runs) * max(1, len(q.list("panels"))); n > mostBodies {
		return nil, wrong("found a figure of %d drawings (panels × runs), want at most %d", n, mostBodies)
	}
	if q.mode != "" && q.ref != f.runs[0] {
		return nil, failure(http.StatusUnprocessableEntity,
			"a figure aligns runs with the first of them, not with %s: put that first, or switch the alignment off", q.ref.src.Name())
	}
	panels, err := panelChoices(q.list("panels"))
	if err != nil {
		return nil, err
	}
	f.flags = []string{"--panels", panels, "--from", milliseconds(w.T0), "--to", milliseconds(w.T1), "--width", strconv.FormatInt(width, 10)}
	if q.mode != "" {
		f.flags = append(f.flags, "--align", string(q.mode))
	}
	if q.dark {
		f.flags = append(f.flags, "--theme", "dark")
	}
	if err := f.set(); err != nil {
		return nil, err
	}
	return f, f.sameColors(r.Context(), s)
}

// milliseconds writes ns so that the command line reads the same ns.
func milliseconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64) }

// panelChoices turns "st:400,ready" (pixels) into what plot takes (units of 100
// pixels).
func panelChoices(list []string) (string, error) {
	if len(list) == 0 {
		list = []string{"st"}
	}
	if len(list) > 64 {
		return "", wrong("found %d panels, want at most 64", len(list))
	}
	var out []string
	for _, item := range list {
		id, height, given := strings.Cut(item, ":")
		if _, err := core.Find(id); err != nil {
			return "", wrong("%w", err)
		}
		if given {
			px, err := strconv.ParseFloat(height, 64)
			if err != nil || !(px >= 1 && px <= mostHeight) {
				return "", wrong("found height %s of panel %s, want 1 to %d pixels", shortened(height), id, mostHeight)
			}
			id += ":" + plain(px/100)
		}
		out = append(out, id)
	}
	return strings.Join(out, ","), nil
}

// set sets everything in the order of the command line: flags, then --set.
func (f *figureRequest) set() error {
	f.spec = figure.Default()
	keys := map[string]string{}
	for _, k := range figure.Keys() {
		if k.Flag != "" {
			keys["--"+k.Flag] = k.Name
		}
	}
	for i := 0; i < len(f.flags); i += 2 {
		if err := f.spec.Set(keys[f.flags[i]], f.flags[i+1]); err != nil {
			return wrong("%s: %w", f.flags[i], err)
		}
	}
	for _, kv := range f.sets {
		if err := f.spec.Set(kv[0], kv[1]); err != nil {
			return wrong("set option %s: %w", kv[0], err)
		}
	}
	return nil
}

// sameColors gives kinds the colours of the view where a figure of these runs
// alone would choose others.
func (f *figureRequest) sameColors(ctx context.Context, s *Server) error {
	if len(f.runs) == s.opened && len(s.all()) == s.opened {
		return nil
	}
	s.openRuns()
	seen, err := s.colorsOf(ctx, f.spec.Coloring)
	if err != nil {
		return err
	}
	var runs []*trace.Run
	for _, r := range f.runs {
		if err := r.wait(ctx); err != nil {
			return err
		}
		runs = append(runs, r.data.Load())
	}
	var kinds []string
	chosen := f.spec.Coloring.Of(runs)
	for kind := range chosen {
		if chosen[kind] != seen.colors.Of(kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	f.sets = slices.Clone(f.sets)
	for _, kind := range kinds {
		f.sets = append(f.sets, [2]string{"app_tasks." + kind + ".color", seen.colors.Of(kind).Hex()})
	}
	return f.set()
}

// exportCommand answers with the command line that makes the figure.
func (s *Server) exportCommand(r *http.Request) (*answer, error) {
	f, err := s.figure(r)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(ExportCommand{f.command()})
}

func (f *figureRequest) command() string {
	line := []string{"dagscope", "plot"}
	for _, r := range f.runs {
		line = append(line, words.Shell(pathArgument(r.src)))
	}
	line = append(line, "-o", words.Shell(f.file()))
	for i := 0; i < len(f.flags); i += 2 {
		if strings.HasPrefix(f.flags[i+1], "-") {
			line = append(line, f.flags[i]+"="+words.Shell(f.flags[i+1]))
			continue
		}
		line = append(line, f.flags[i], words.Shell(f.flags[i+1]))
	}
	for _, kv := range f.sets {
		line = append(line, "--set", words.Shell(kv[0]+"="+kv[1]))
	}
	return strings.Join(line, " ")
}

// file is the name of the figure.
func (f *figureRequest) file() string {
	var names []string
	for _, r := range f.runs {
		names = append(names, r.src.Name())
	}
	name := fileName(strings.Join(names, "-"))
	if len(name) > 100 {
		name = name[:100]
	}
	return strings.TrimLeft(name, "-.") + "." + f.format
}

func pathOf(src Source) string {
	if l, ok := src.(located); ok {
		return l.Path()
	}
	return src.Name()
}

// pathArgument is a path that is not taken for a flag.
func pathArgument(src Source) string {
	p := pathOf(src)
	if strings.HasPrefix(p, "-") {
		p = "./" + p
	}
	return p
}

var figureKinds = map[string]string{"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}

// export answers with the figure itself: the bytes that plot writes.
func (s *Server) export(r *http.Request) (*answer, error) {
	f, err := s.figure(r)
	if err != nil {
		return nil, err
	}
	reads, err := f.spec.Reads()
	if err != nil {
		return nil, wrong("%w", err)
	}
	s.openRuns()
	var sources []layout.Source
	var inputs []figure.Input
	for _, run := range f.runs {
		if err := run.wait(r.Context()); err != nil {
			return nil, err
		}
		loaded, err := run.load(r.Context(), reads...)
		if err != nil {
			return nil, err
		}
		path := pathArgument(run.src)
		sources = append(sources, layout.Source{Name: runName(path), Run: only(loaded, reads)})
		inputs = append(inputs, figure.Input{Path: path, SHA256: run.src.Checksum()})
	}
	body, err := worked(r.Context(), s.figures, func() ([]byte, error) {
		var out bytes.Buffer
		err := f.write(r.Context(), &out, s.options.Version, sources, inputs)
		if err != nil && r.Context().Err() == nil {
			err = failure(http.StatusUnprocessableEntity, "%w", err)
		}
		return out.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return &answer{kind: figureKinds[f.format], body: body, filename: f.file()}, nil
}

// write makes the figure until ctx is done: that is asked between panels, drawings
// and parts of an image.
func (f *figureRequest) write(ctx context.Context, out *bytes.Buffer, version string, sources []layout.Source, inputs []figure.Input) error {
	f.spec.Options.Stop, f.spec.Options.Most = ctx.Err, mostShapes
	fig, err := f.spec.Figure(sources, func(shown *figure.Spec) []scene.Field { return shown.Fields(version, f.format, inputs) })
	if err != nil {
		return err
	}
	page, err := scene.Compose(fig)
	if err != nil {
		return err
	}
	return render.Write(out, f.format, page, render.Options{Scale: f.spec.Scale(), Outlines: f.spec.Outlines, Pixels: mostPixels, Stop: ctx.Err})
}

// runName is the name of a run in a figure, as plot has it.
func runName(path string) string {
	path = strings.TrimRight(path, "/")
	return strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".dsr")
}
