// Package paneltest opens panels on runs made for tests.
package paneltest
