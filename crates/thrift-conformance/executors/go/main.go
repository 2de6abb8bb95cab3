// Command executor answers the requests of `tendon thrift conformance` for validators that generate Go: thrift-gen-validator,
// a plugin of thriftgo, and Apache's compiler.
//
// It reads all requests, generates code for each case, compiles everything into one program, and asks that. A case whose IDL the
// generator refuses, whose generator crashes, or whose code does not compile is answered as such.
//
//	executor -thriftgo PATH -validator PATH
//	executor -apache PATH
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

type request struct {
	Case    string            `json:"case"`
	Idl     string            `json:"idl"`
	Options map[string]string `json:"options"`
	Type    *string           `json:"type"`
	Value   json.RawMessage   `json:"value"`
}

type answer struct {
	Case    string `json:"case"`
	Verdict string `json:"verdict"`
	Rule    string `json:"rule,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message,omitempty"`
}

func main() {
	thriftgo := flag.String("thriftgo", "", "thriftgo, for thrift-gen-validator")
	validator := flag.String("validator", "", "thrift-gen-validator")
	apache := flag.String("apache", "", "Apache's compiler, 0.18 or newer")
	work := flag.String("work", "", "a folder to generate and compile in; a new one if there is none")
	flag.Parse()
	var target *target
	switch {
	case *apache != "":
		target = apacheCompiler(*apache)
	case *thriftgo != "" && *validator != "":
		target = cloudwegoValidator(*thriftgo, *validator)
	default:
		fail("name thriftgo and thrift-gen-validator, or Apache's compiler")
	}
	requests, err := read()
	if err != nil {
		fail(err.Error())
	}
	if *work == "" {
		folder, err := os.MkdirTemp("", "executor")
		if err != nil {
			fail(err.Error())
		}
		defer os.RemoveAll(folder)
		*work = folder
	}
	answers, err := answerAll(target, *work, requests)
	if err != nil {
		os.RemoveAll(*work)
		fail(err.Error())
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, it := range answers {
		if err := out.Encode(it); err != nil {
			fail(err.Error())
		}
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func read() ([]request, error) {
	var requests []request
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var it request
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			return nil, fmt.Errorf("a line is no request: %w", err)
		}
		requests = append(requests, it)
	}
	return requests, lines.Err()
}

// answerAll generates, compiles and asks.
func answerAll(target *target, work string, requests []request) ([]answer, error) {
	project, err := newProject(target, work)
	if err != nil {
		return nil, err
	}
	for _, it := range requests {
		project.add(it)
	}
	if err := project.compile(); err != nil {
		return nil, err
	}
	var asked []request
	answers := map[string]answer{}
	for _, it := range requests {
		switch c := project.cases[caseOf(it)]; {
		case c.trouble != nil:
			answers[it.Case] = answer{Case: it.Case, Verdict: c.trouble.Verdict, Message: c.trouble.Message}
		case it.Type == nil:
			answers[it.Case] = answer{Case: it.Case, Verdict: "valid"}
		case c.types[plainName(*it.Type)] == "":
			message := "there are no methods on " + *it.Type
			answers[it.Case] = answer{Case: it.Case, Verdict: "unsupported", Message: message}
		default:
			asked = append(asked, it)
		}
	}
	said, err := project.ask(asked)
	if err != nil {
		return nil, err
	}
	for _, it := range said {
		answers[it.Case] = it
	}
	var all []answer
	for _, it := range requests {
		if found, ok := answers[it.Case]; ok {
			all = append(all, found)
		}
	}
	return all, nil
}

// caseOf is the case of a request: `b04` for `B04/2`.
func caseOf(it request) string {
	name, _, _ := strings.Cut(it.Case, "/")
	return strings.ToLower(name)
}
