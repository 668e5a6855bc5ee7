package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is how many characters the name of a run may have.
const longestName = 100

// runName names the run of a point after its values: "gpus=2,scheduler=dmdas".
// Where that is no name for a file, a checksum tells it from others.
func runName(keys, values []string) string {
	var parts []string
	for k, key := range keys {
		short := key[strings.LastIndex(key, ".")+1:]
		parts = append(parts, short+"="+values[k])
	}
	plain := strings.Join(parts, ",")
	if plain == "" {
		return "run"
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("=,.-+_", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, plain)
	shortened := len(name) > longestName
	if shortened {
		name = name[:longestName]
	}
	if shortened || name != plain || ambiguous(keys) || strings.HasPrefix(name, ".") {
		sum := sha256.Sum256([]byte(identity(keys) + "\x1e" + identity(values)))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return strings.TrimLeft(name, ".")
}

// ambiguous tells whether two keys have the same last part.
func ambiguous(keys []string) bool {
	seen := make(map[string]bool)
	for _, key := range keys {
		short := key[strings.LastIndex(key, ".")+1:]
		if seen[short] {
			return true
		}
		seen[short] = true
	}
	return false
}
