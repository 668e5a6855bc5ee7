package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"dagscope/trace/store"
)

// mend makes the checksums and sizes in the manifest of a run directory right, so
// that damage gets past them. A manifest that is no JSON any more stays.
func mend(dir, folder string) error {
	path := filepath.Join(dir, folder, store.ManifestName)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var m store.Manifest
	if json.Unmarshal(content, &m) == nil {
		for _, t := range m.Tables {
			file, err := os.ReadFile(filepath.Join(dir, folder, filepath.Base(t.File)))
			if err != nil {
				continue // the damage is the name
			}
			if sum := sha256.Sum256(file); t.SHA256 != "" {
				content = bytes.ReplaceAll(content, []byte(t.SHA256), []byte(hex.EncodeToString(sum[:])))
			}
			if t.Bytes != int64(len(file)) {
				content = replaceBytes(content, t.Name, len(file))
			}
		}
	}
	const key = `"manifest_sha256": "`
	if at := bytes.LastIndex(content, []byte(key)); at >= 0 && at+len(key)+2*sha256.Size <= len(content) {
		value := content[at+len(key):][:2*sha256.Size]
		copy(value, strings.Repeat("0", len(value)))
		sum := sha256.Sum256(content)
		hex.Encode(value, sum[:])
	}
	return os.WriteFile(path, content, 0o666)
}

// replaceBytes sets the size of the file of a table.
func replaceBytes(manifest []byte, table string, size int) []byte {
	at := bytes.Index(manifest, []byte(`"name": "`+table+`",`))
	if at < 0 {
		return manifest
	}
	begin := bytes.Index(manifest[at:], []byte(`"bytes": `))
	if begin < 0 {
		return manifest
	}
	begin += at + len(`"bytes": `)
	end := begin + bytes.IndexByte(manifest[begin:], ',')
	if end < begin {
		return manifest
	}
	number, err := json.Marshal(size)
	if err != nil {
		return manifest
	}
	return append(append(append([]byte(nil), manifest[:begin]...), number...), manifest[end:]...)
}
