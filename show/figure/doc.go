// Package figure says in words which figure to make: a [Spec] is everything
// that shapes a figure but the runs. Each of its parts is a key, in one table:
// a configuration file sets keys, so does each flag of the command line, and
// the recipe inside a figure is the list of keys that made it. A key has one
// name, one type and one meaning in all three.
//
// Keys of StarVZ mean here what they mean there as far as there is something
// like it; those without are known too, and say why. What is neither is
// reported with what may have been meant, never ignored in silence.
package figure
