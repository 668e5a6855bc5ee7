// Package goldentest compares the analyses with the reference values of
// StarVZ on the same inputs. It holds tests only, which are skipped where the
// data are not at hand; where StarVZ departs from our definitions, a test says
// how.
package goldentest
