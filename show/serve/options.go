package serve

import (
	"sync"

	"dagscope/show/figure"
)

// optionInfos are the keys of configurations that mean something to a live view:
// those for all panels under "", and those of each panel. Page, window, panels and
// names are the view's own.
var optionInfos = sync.OnceValue(func() map[string][]OptionInfo {
	out := map[string][]OptionInfo{}
	usual := figure.Default()
	for _, k := range figure.Keys() {
		if k.Void == "" && !k.Page {
			out[k.Panel] = append(out[k.Panel], OptionInfo{Key: k.Name, Doc: k.Doc, Type: k.Type(), Default: k.Text(usual)})
		}
	}
	return out
})
