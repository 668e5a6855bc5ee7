//go:build race

package decode_test

// raceDetector tells whether tests look for races.
const raceDetector = true
