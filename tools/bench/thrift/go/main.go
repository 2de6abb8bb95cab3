// Command bench times generated Go on messages: decoding, the checks of thrift-gen-validator, and ours.
//
// Its argument is a file with one message per line: the struct, then the message in the binary and in the
// compact protocol, in hexadecimal digits. It answers lines of standard input, `WHAT STRUCT ROUNDS`, each with
// the nanoseconds that one round over all messages of the struct takes.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"bench/gen/messages"

	"github.com/apache/thrift/lib/go/thrift"
)

// message is what the generated structs have in common.
type message interface {
	FastRead(bytes []byte) (int, error)
	Read(protocol thrift.TProtocol) error
	IsValid() error
	Validate() error
}

// silent checks nothing: what calling it takes, no check can take less.
type silent struct{ message }

func (it *silent) Validate() error { return nil }

// group holds the messages of one struct in every form.
type group struct {
	fresh   func() message
	binary  [][]byte
	compact [][]byte
	decoded []message
	silent  []message
}

var groups = map[string]*group{
	"Request":  {fresh: func() message { return messages.NewRequest() }},
	"Plain":    {fresh: func() message { return messages.NewPlain() }},
	"Order":    {fresh: func() message { return messages.NewOrder() }},
	"Patterns": {fresh: func() message { return messages.NewPatterns() }},
	"Light":    {fresh: func() message { return messages.NewLight() }},
}

// The protocols of Apache's library, on a buffer that is filled anew for every message.
var (
	buffer          = thrift.NewTMemoryBuffer()
	binaryProtocol  = thrift.NewTBinaryProtocolTransport(buffer)
	compactProtocol = thrift.NewTCompactProtocol(buffer)
)

// apache decodes and checks a message with Apache's library.
func apache(protocol thrift.TProtocol, fresh func() message, bytes []byte) error {
	buffer.Reset()
	buffer.Write(bytes)
	it := fresh()
	if err := it.Read(protocol); err != nil {
		return err
	}
	return it.IsValid()
}

// round does one thing to every message of a group.
func round(what string, it *group) error {
	switch what {
	case "fast":
		for _, bytes := range it.binary {
			message := it.fresh()
			if _, err := message.FastRead(bytes); err != nil {
				return err
			}
			if err := message.IsValid(); err != nil {
				return err
			}
		}
	case "binary":
		for _, bytes := range it.binary {
			if err := apache(binaryProtocol, it.fresh, bytes); err != nil {
				return err
			}
		}
	case "compact":
		for _, bytes := range it.compact {
			if err := apache(compactProtocol, it.fresh, bytes); err != nil {
				return err
			}
		}
	case "valid":
		for _, message := range it.decoded {
			if err := message.IsValid(); err != nil {
				return err
			}
		}
	case "ours":
		for _, message := range it.decoded {
			if err := message.Validate(); err != nil {
				return err
			}
		}
	case "empty":
		for _, message := range it.silent {
			if err := message.Validate(); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("nobody knows how to do `%s`", what)
	}
	return nil
}

func load(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		parts := strings.Split(line, "\t")
		binary, err := hex.DecodeString(parts[1])
		if err != nil {
			return err
		}
		compact, err := hex.DecodeString(parts[2])
		if err != nil {
			return err
		}
		it := groups[parts[0]]
		message := it.fresh()
		if _, err := message.FastRead(binary); err != nil {
			return err
		}
		it.binary = append(it.binary, binary)
		it.compact = append(it.compact, compact)
		it.decoded = append(it.decoded, message)
		it.silent = append(it.silent, &silent{message})
	}
	return nil
}

func serve() error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var what, name string
		var rounds int
		if _, err := fmt.Sscan(lines.Text(), &what, &name, &rounds); err != nil {
			return err
		}
		it := groups[name]
		start := time.Now()
		for i := 0; i < rounds; i++ {
			if err := round(what, it); err != nil {
				return fmt.Errorf("%s of %s: %w", what, name, err)
			}
		}
		elapsed := time.Since(start)
		fmt.Println(float64(elapsed.Nanoseconds()) / float64(rounds))
	}
	return lines.Err()
}

func main() {
	err := load(os.Args[1])
	if err == nil {
		err = serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
