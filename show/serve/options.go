package serve

import (
	"slices"
	"strings"
	"sync"

	"dagscope/show/figure"
	"dagscope/show/panel"
)

// Which keys of configurations mean something to a live view, and to which of
// its panels. Page, window, panels and names are the view's own.

// starvzNames are panels whose keys have another prefix than their id.
var starvzNames = map[string]string{"kiteration": "iterations", "starpu": "states", "gpubandwidth": "bandwidth", "memory": "memstates"}

// ownerOf is the panel that a key belongs to, "" for all.
func ownerOf(key string) string {
	prefix, _, dotted := strings.Cut(key, ".")
	if !dotted {
		return ""
	}
	if id, ok := starvzNames[prefix]; ok {
		return id
	}
	if _, err := panel.Find(prefix); err == nil {
		return prefix
	}
	return ""
}

// notLive are keys, or what stands before their first dot, that a live view
// does not take as options: it has them as its state, or they concern pages.
var notLive = []string{"title", "panels", "size", "width", "font_size", "theme", "dpi", "notes", "outlines", "facets", "facts",
	"limits", "base_size", "runs", "marks", "vertical_lines", "align"}

func live(k *figure.Key) bool {
	prefix, rest, _ := strings.Cut(k.Name, ".")
	switch {
	case k.Void != "", slices.Contains(notLive, prefix), strings.Contains(k.Name, "*"):
		return false
	case rest == "active" && k.Want() == "true or false" && strings.HasPrefix(k.Doc, "draw panel "):
		return false
	case rest == "height", rest == "legend":
		return false
	}
	return true
}

// optionInfos are the keys for all panels, and those of each.
var optionInfos = sync.OnceValue(func() map[string][]OptionInfo {
	out := map[string][]OptionInfo{}
	usual := figure.Default()
	for _, k := range figure.Keys() {
		if !live(&k) {
			continue
		}
		info := OptionInfo{Key: k.Name, Doc: k.Doc, Want: k.Want(), List: k.List(), Choices: choicesOf(k.Want()), Default: k.Text(usual)}
		owner := ownerOf(k.Name)
		out[owner] = append(out[owner], info)
	}
	return out
})

// choicesOf are the words that a key takes, if they are few.
func choicesOf(want string) []string {
	if words, ok := strings.CutPrefix(want, "one of "); ok {
		return strings.Split(words, ", ")
	}
	if want == "true or false" {
		return []string{"true", "false"}
	}
	return nil
}
