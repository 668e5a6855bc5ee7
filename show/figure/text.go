package figure

import (
	"fmt"
	"strconv"
	"strings"
)

// Text is the value of the key in a spec as the command line takes it: items of
// a list between commas; "" where it is not set, or cannot be written so.
func (k *Key) Text(s *Spec) string {
	if k.get == nil {
		return ""
	}
	return argument(k.get(s))
}

func argument(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = strings.ReplaceAll(argument(item), ",", `\,`)
		}
		return strings.Join(items, ",")
	}
	return fmt.Sprint(v)
}
