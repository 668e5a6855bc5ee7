package words

import (
	"strconv"
	"strings"
)

// List joins names, of many the first few: "a, b and 3 more".
func List(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// And joins the parts of a sentence: "a, and b", "a, b, and c".
func And(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + ", and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// Or lists what there is to choose from: "a, b or c".
func Or(choices []string) string {
	if n := len(choices) - 1; n > 0 {
		return strings.Join(choices[:n], ", ") + " or " + choices[n]
	}
	return strings.Join(choices, "")
}

// Join joins with commas those of some parts that are not empty.
func Join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, ", ")
}

// Ranges writes ascending numbers, consecutive ones as a range, each an item:
// "0–3", "7".
func Ranges[T Integer](numbers []T) (ranges []string) {
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		text := strconv.FormatInt(int64(numbers[i]), 10)
		if k > i {
			text += "–" + strconv.FormatInt(int64(numbers[k]), 10)
		}
		ranges = append(ranges, text)
		i = k + 1
	}
	return ranges
}
