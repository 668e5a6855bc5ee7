package decode

import (
	"fmt"
	"maps"
	"slices"

	"dagscope/trace"
)

// unknown counts events whose codes the version does not have. Other libraries
// and other versions bring a few codes; damage brings any, so that only the
// first are distinguished.
type unknown struct {
	byCode map[uint32]int64
	others int64
}

// maxUnknown bounds the unknown codes that are distinguished.
const maxUnknown = 128

func (u *unknown) add(code uint32) {
	if n, ok := u.byCode[code]; ok || len(u.byCode) < maxUnknown {
		if u.byCode == nil {
			u.byCode = map[uint32]int64{}
		}
		u.byCode[code] = n + 1
		return
	}
	u.others++
}

// accountUnknown logs the events that the version does not have, in the order
// of their codes.
func (r *rank) accountUnknown() {
	for _, code := range slices.Sorted(maps.Keys(r.unknown.byCode)) {
		n := r.unknown.byCode[code]
		r.out.Log.AddN(trace.Info, r.file, 0, fmt.Sprintf("unknown-event-%#x", code),
			fmt.Sprintf("found events of code %#x, want one that StarPU %s has: left out", code, r.d.version.Name), n)
		r.out.Account.Add(r.file, fmt.Sprintf("%#x unknown event", code), "log", n)
	}
	r.out.Log.AddN(trace.Warning, r.file, 0, "unknown-event",
		fmt.Sprintf("found events of more than %d codes that StarPU %s does not have, want a trace of this version without damage: left out", maxUnknown, r.d.version.Name), r.unknown.others)
	r.out.Account.Add(r.file, "unknown event of another code", "log", r.unknown.others)
}
