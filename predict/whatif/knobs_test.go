package whatif

import (
	"math"
	"strings"
	"testing"
)

// Every value of every knob of a run can be simulated, and one that stays where it
// was is no change.
func TestKnobs(t *testing.T) {
	b := base(t, recorded(t, strings.Replace(strings.Replace(chol, "%d", "6", 1), "%s", "dmdas", 1), false), Options{})
	knobs := b.Knobs()
	ids := map[string]Knob{}
	for _, k := range knobs {
		if ids[k.ID].ID != "" {
			t.Errorf("found two knobs %s", k.ID)
		}
		ids[k.ID] = k
		values := []float64{k.Min, k.Max}
		for i := range k.Choices {
			values = append(values[:i], float64(i))
		}
		for _, v := range values {
			c, err := b.Turn(map[string]float64{k.ID: v})
			if same := k.Choices != nil && v == 0 || k.Choices == nil && v == k.Now; same != (err != nil) {
				t.Errorf("%s to %v: found %v, want an error where nothing changes", k.ID, v, err)
			}
			if err != nil {
				continue
			}
			if _, err := b.Version(c); err != nil {
				t.Errorf("%s to %v: %v", k.ID, v, err)
			}
		}
	}
	speed := knobs[len(knobs)-1].ID
	if !strings.HasPrefix(speed, "speed ") {
		t.Errorf("found %s, want the speed of a kind", speed)
	}
	for _, id := range []string{Scheduler, Priorities, Link, "gpus", "cpus", Pipeline} {
		if ids[id].ID == "" {
			t.Errorf("found no knob %s", id)
		}
	}
	two, err := b.Turn(map[string]float64{"gpus": 1, speed: 2})
	if err != nil || len(two.Set) != 2 || !strings.Contains(two.Title, " + ") {
		t.Errorf("found %+v, %v, want both changes", two, err)
	}
	for _, wrong := range []map[string]float64{{"gpus": 1.5}, {"gpus": -1}, {"gpus": math.NaN()}, {"scheduler": 99}, {"nothing": 1}, {}} {
		if _, err := b.Turn(wrong); err == nil {
			t.Errorf("%v: found a change, want an error", wrong)
		}
	}
}
