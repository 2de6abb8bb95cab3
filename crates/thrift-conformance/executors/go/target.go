package main

import (
	_ "embed"
	"os/exec"
	"path/filepath"
)

// target is a generator of validators.
type target struct {
	// generate makes the code for an IDL file in a folder.
	generate func(work, file string) *exec.Cmd
	// options are those of requests that say how this generator behaves anyway.
	options map[string]string
	// module and sums are the go.mod and go.sum of the generated code.
	module, sums string
	// method is what is called on a struct.
	method string
}

//go:embed parts/apache.go.mod
var apacheModule string

//go:embed parts/apache.go.sum
var apacheSums string

const plainModule = "module cases\n\ngo 1.18\n"

func cloudwegoValidator(thriftgo, validator string) *target {
	return &target{
		generate: func(work, file string) *exec.Cmd {
			generator := "go:no_default_serdes=true,no_processor=true,package_prefix=cases/gen"
			return exec.Command(absolute(thriftgo), "-r", "-g", generator, "-o", "gen",
				"-p", "validator="+absolute(validator), file)
		},
		options: map[string]string{"compat": "go", "elements": "kitex"},
		module:  plainModule,
		method:  "IsValid",
	}
}

func apacheCompiler(compiler string) *target {
	return &target{
		generate: func(work, file string) *exec.Cmd {
			return exec.Command(absolute(compiler), "-r", "--gen", "go:skip_remote,package_prefix=cases/gen/",
				"-out", "gen", file)
		},
		options: map[string]string{"compat": "apache"},
		module:  apacheModule,
		sums:    apacheSums,
		method:  "Validate",
	}
}

// absolute makes a path usable in another folder; what is no path is looked up where programs are.
func absolute(path string) string {
	if found, err := exec.LookPath(path); err == nil {
		path = found
	}
	if found, err := filepath.Abs(path); err == nil {
		return found
	}
	return path
}
