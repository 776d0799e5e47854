package builtin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnswersAboutPrograms asks about documents whose titles name no person or place.
func TestAnswersAboutPrograms(t *testing.T) {
	t.Parallel()
	passages := encyclopedia(
		[2]string{"pump-readme", "This manual tells how water is moved. The icons of the gauge were drawn by Tatlin. Start it with --slow to spare the motor."},
		[2]string{"pump-changes", "Fixed the leak of the valve in spring. The Water Steering Committee (WSC) decides on releases."},
		[2]string{"valve-notes", "A valve is closed when the pressure falls. Spare parts are kept in store/valves by the door. The default size of a tank is 40 litres."},
	)
	for _, tt := range []struct{ question, want string }{
		{"Who drew the icons of the gauge?", "The icons of the gauge were drawn by Tatlin."},
		{"With which option is it started to spare the motor?", "Start it with --slow to spare the motor."},
		{"When is a valve closed?", ""}, // a condition, which is as often not what is asked for
		{"When was a valve closed?", ""},
		{"Where are spare parts kept?", "Spare parts are kept in store/valves by the door."},
		{"What does WSC stand for?", "The Water Steering Committee (WSC) decides on releases."},
		{"What is the default size of a tank?", "The default size of a tank is 40 litres."},
		{"What is the default size of a tank in pump?", ""}, // it is that of the valve's
	} {
		if diff := cmp.Diff(tt.want, sentences(read(tt.question, passages))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.question, diff)
		}
	}
}

// TestWeakInPaths reads which words of a path a text may leave out.
func TestWeakInPaths(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]map[string]bool{
		"Who maintains example.org/pump?":   {"maintains": false, "example": true, "org": true, "pump": false},
		"Can it unpack .tar.xz archives?":   {"unpack": false, "tar": false, "xz": true, "archives": false},
		"How do I stop it when tar is old?": {"stop": false, "tar": false, "old": false},
	} {
		got := map[string]bool{}
		for _, p := range readQuestion(question, nil).pieces {
			got[p.text] = p.weak
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", question, diff)
		}
	}
}
