// Command engine measures internal/stategraph against LangGraph and eino and
// prints one table. The commands that measure the others are its arguments,
// and print JSON; `make bench-engine` installs and names them.
//
// CPU is user+sys of the process, medians; memory is the process's peak above
// what it was before. Rows without a checkpointer say nothing of one.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// row is a line of the table.
type row struct {
	title, key, unit, target string
	most                     float64 // that ours may be
}

var rows = []row{
	{"linear graph of 10, per step", "linear_us", "µs", "≤ 3", 3},
	{"invoking a graph of one node", "invoke_us", "µs", "≤ 7", 7},
	{"1,000 sends, each", "send_1000_us", "µs", "≤ 4", 4},
	{"10,000 sends, each", "send_10000_us", "µs", "≤ 4", 4},
	{"20,000 sends, each, against 1,000", "send_ratio", "×", "≤ 1.3", 1.3},
	{"memory above idle, 10,000 sends", "memory_mb", "MB", "≤ 40", 40},
	{"a step beside 300 idle nodes, against none", "idle_ratio", "×", "≤ 1.2", 1.2},
	{"durable step on SQLite, WAL and NORMAL", "durable_us", "µs", "≤ 90", 90},
	{"the same in LangGraph's default mode", "durable_default_us", "µs", "", 0},
	{"durable step on SQLite, WAL and FULL", "durable_full_us", "µs", "", 0},
	{"database after 1,000 steps of a growing list", "db_1000_mb", "MB", "≤ 1.2", 1.2},
	{"2,000 steps against 1,000", "db_ratio", "×", "≤ 2.3", 2.3},
	{"a step of that list at its end, against its beginning", "growth_ratio", "×", "≤ 1.3", 1.3},
	{"resume with 1,000 messages", "resume_ms", "ms", "≤ 1.7", 1.7},
	{"state at, with 1,000 messages", "state_ms", "ms", "≤ 1", 1},
	{"history of 10, with 1,000 messages", "history_ms", "ms", "≤ 3", 3},
	{"resume, with encoding/json/v2", "v2_resume_ms", "ms", "≤ 1.7", 1.7},
	{"state at, with encoding/json/v2", "v2_state_ms", "ms", "≤ 1", 1},
	{"history of 10, with encoding/json/v2", "v2_history_ms", "ms", "≤ 3", 3},
	{"one stream event", "event_us", "µs", "≤ 0.6", 0.6},
	{"SIGKILL in call 500 of 1,000, default mode: finished calls lost", "lost", "", "0", 0.5},
}

func main() {
	langgraph := flag.String("langgraph", "", "command that measures LangGraph")
	eino := flag.String("eino", "", "command that measures eino")
	v2 := flag.String("jsonv2", "", "command that measures reading with encoding/json/v2")
	flag.Parse()
	switch flag.Arg(0) {
	case "memory":
		memory()
		return
	case "reads":
		reads(must(os.MkdirTemp("", "bench-engine")))
		return
	case "killed":
		killed(flag.Arg(1))
		return
	}
	folder := must(os.MkdirTemp("", "bench-engine"))
	defer os.RemoveAll(folder)
	ours := measure(folder)
	for key, v := range ask(*v2) {
		ours["v2_"+key] = v
	}
	others := []map[string]float64{ask(*langgraph), ask(*eino), ours}
	for _, m := range others {
		derive(m, "send_ratio", "send_20000_us", "send_1000_us")
		derive(m, "db_ratio", "db_2000_mb", "db_1000_mb")
	}
	fmt.Printf("%s, %s/%s, %d CPUs, %s\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Println("| | LangGraph | eino | ours | at least |\n| --- | ---: | ---: | ---: | ---: |")
	for _, r := range rows {
		fmt.Printf("| %s%s | %s | %s | %s | %s |\n", r.title, unit(r.unit),
			cell(others[0], r.key), cell(others[1], r.key), cell(ours, r.key)+missed(ours, r), r.target)
	}
}

// ask runs a comparison program.
func ask(command string) map[string]float64 {
	out := map[string]float64{}
	if words := strings.Fields(command); len(words) > 0 {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stderr = os.Stderr
		check(json.Unmarshal(must(cmd.Output()), &out))
	}
	return out
}

func derive(m map[string]float64, key, above, below string) {
	if m[below] > 0 && m[above] > 0 {
		m[key] = m[above] / m[below]
	}
}

func unit(u string) string {
	if u == "" {
		return ""
	}
	return ", " + u
}

func cell(m map[string]float64, key string) string {
	v, ok := m[key]
	switch {
	case !ok:
		return "–"
	case v >= 100 || v == float64(int(v)):
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func missed(m map[string]float64, r row) string {
	if r.target == "" || m[r.key] <= r.most {
		return ""
	}
	return " (missed)"
}
