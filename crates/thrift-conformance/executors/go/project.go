package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

//go:embed parts/driver.go.txt
var driver string

// project is the code of all cases.
type project struct {
	target *target
	work   string
	cases  map[string]*generated
}

// generated is the code of one case.
type generated struct {
	// trouble is why there is none.
	trouble *answer
	// types are the structs with methods: the name without case and underscores, and the name in Go.
	types map[string]string
}

func newProject(target *target, work string) (*project, error) {
	files := map[string]string{"go.mod": target.module, "go.sum": target.sums, "driver.go": driver}
	for name, text := range files {
		if err := write(filepath.Join(work, name), text); err != nil {
			return nil, err
		}
	}
	// Nothing of an earlier run may be left, and not every generator makes the folder that it writes to.
	gen := filepath.Join(work, "gen")
	if err := errors.Join(os.RemoveAll(gen), os.MkdirAll(gen, 0o755)); err != nil {
		return nil, err
	}
	return &project{target, work, map[string]*generated{}}, nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// add generates the code of a request's case, unless it is there.
func (p *project) add(it request) {
	name := caseOf(it)
	if p.cases[name] != nil {
		return
	}
	made := &generated{types: map[string]string{}}
	p.cases[name] = made
	for key, value := range it.Options {
		if p.target.options[key] != value {
			made.trouble = &answer{Verdict: "unsupported", Message: "there is no option " + key + "=" + value}
			return
		}
	}
	file := filepath.Join("idl", name+".thrift")
	if err := write(filepath.Join(p.work, file), "namespace go "+name+"\n"+it.Idl); err != nil {
		made.trouble = &answer{Verdict: "error", Message: err.Error()}
		return
	}
	command := p.target.generate(p.work, file)
	command.Dir = p.work
	output, err := command.CombinedOutput()
	if err != nil {
		made.trouble = &answer{Verdict: "refused", Message: firstLine(output)}
		var exit *exec.ExitError
		crashed := !errors.As(err, &exit) || exit.ExitCode() < 0
		if crashed || bytes.Contains(output, []byte("panic:")) || bytes.Contains(output, []byte("goroutine ")) {
			made.trouble = &answer{Verdict: "error", Message: "the generator crashes: " + firstLine(output)}
		}
		os.RemoveAll(filepath.Join(p.work, "gen", name))
		return
	}
	made.types, err = p.methods(name)
	if err != nil {
		made.trouble = &answer{Verdict: "error", Message: err.Error()}
	}
}

func firstLine(output []byte) string {
	for _, line := range strings.Split(string(output), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "no message"
}

// methods finds the structs that can be validated.
func (p *project) methods(name string) (map[string]string, error) {
	method := regexp.MustCompile(`(?m)^func \(p \*(\w+)\) ` + p.target.method + `\(\) error`)
	types := map[string]string{}
	files, err := filepath.Glob(filepath.Join(p.work, "gen", name, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, found := range method.FindAllSubmatch(text, -1) {
			types[plainName(string(found[1]))] = string(found[1])
		}
	}
	return types, nil
}

// plainName is what a name has in common in the IDL and in Go.
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// names are the cases with code, in order.
func (p *project) names() []string {
	var names []string
	for name, it := range p.cases {
		if it.trouble == nil && len(it.types) > 0 {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

var failed = regexp.MustCompile(`(?m)^# cases/gen/(\w+)(?: .*)?\n(.*)$`)

// compile takes out the cases that do not compile, and builds a program of the others.
func (p *project) compile() error {
	if len(p.names()) == 0 {
		return nil
	}
	// Without the name of the folder in it, code that was compiled in another run need not be compiled again.
	build := exec.Command("go", "build", "-trimpath", "./gen/...")
	build.Dir = p.work
	if output, err := build.CombinedOutput(); err != nil {
		broken := failed.FindAllSubmatch(output, -1)
		if len(broken) == 0 {
			return fmt.Errorf("the code cannot be compiled: %s", output)
		}
		for _, it := range broken {
			message := "the generated code does not compile: " + strings.TrimSpace(string(it[2]))
			p.cases[string(it[1])].trouble = &answer{Verdict: "error", Message: message}
		}
	}
	for {
		if err := p.link(); err != nil {
			return err
		}
		panicked, message := p.load()
		if panicked == nil {
			return nil
		}
		panicked.trouble = &answer{Verdict: "error", Message: message}
	}
}

var initialised = regexp.MustCompile(`(?m)^cases/gen/(\w+)\.init`)

// load starts the program with nothing to do, and finds the case whose code panics before it is called.
func (p *project) load() (*generated, string) {
	output, err := exec.Command(filepath.Join(p.work, "program")).CombinedOutput()
	if err == nil {
		return nil, ""
	}
	if found := initialised.FindSubmatch(output); found != nil {
		return p.cases[string(found[1])], "the generated code fails when it is loaded: " + firstLine(output)
	}
	return nil, ""
}

// link makes a program of all cases that compile.
func (p *project) link() error {
	var imports, roots strings.Builder
	for _, name := range p.names() {
		fmt.Fprintf(&imports, "\t%q\n", "cases/gen/"+name)
		var types []string
		for _, it := range p.cases[name].types {
			types = append(types, it)
		}
		sort.Strings(types)
		for _, it := range types {
			fmt.Fprintf(&roots, "\t%q: func() interface{} { return %s.New%s() },\n", name+"."+plainName(it), name, it)
		}
	}
	text := fmt.Sprintf("package main\n\nimport (\n%s)\n\nconst method = %q\n\nvar roots = map[string]func() interface{}{\n%s}\n",
		imports.String(), p.target.method, roots.String())
	if err := write(filepath.Join(p.work, "roots.go"), text); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", "program", ".")
	build.Dir = p.work
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the program cannot be compiled: %s", output)
	}
	return nil
}

// ask asks the program.
func (p *project) ask(requests []request) ([]answer, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	var input bytes.Buffer
	for _, it := range requests {
		fmt.Fprintf(&input, "%s\t%s.%s\t%s\n", it.Case, caseOf(it), plainName(*it.Type), it.Value)
	}
	command := exec.Command(filepath.Join(p.work, "program"))
	command.Stdin = &input
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	var answers []answer
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var it answer
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			return nil, err
		}
		answers = append(answers, it)
	}
	return answers, lines.Err()
}
