// A Go client that calls through the proxy: `client ADDRESS CALLS CONNECTIONS`.
//
// It speaks framed compact with Apache's library; each connection knows the answer to each of its calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
)

type request struct {
	name  string
	count int32
	items []int32
}

func (r *request) Write(ctx context.Context, out thrift.TProtocol) error {
	return errors.Join(
		out.WriteStructBegin(ctx, "echo_args"),
		out.WriteFieldBegin(ctx, "request", thrift.STRUCT, 1),
		out.WriteStructBegin(ctx, "Request"),
		out.WriteFieldBegin(ctx, "name", thrift.STRING, 1),
		out.WriteString(ctx, r.name),
		out.WriteFieldEnd(ctx),
		out.WriteFieldBegin(ctx, "count", thrift.I32, 2),
		out.WriteI32(ctx, r.count),
		out.WriteFieldEnd(ctx),
		r.writeItems(ctx, out),
		out.WriteFieldStop(ctx),
		out.WriteStructEnd(ctx),
		out.WriteFieldEnd(ctx),
		out.WriteFieldStop(ctx),
		out.WriteStructEnd(ctx),
	)
}

func (r *request) writeItems(ctx context.Context, out thrift.TProtocol) error {
	err := errors.Join(
		out.WriteFieldBegin(ctx, "items", thrift.LIST, 3),
		out.WriteListBegin(ctx, thrift.I32, len(r.items)),
	)
	for _, item := range r.items {
		err = errors.Join(err, out.WriteI32(ctx, item))
	}
	return errors.Join(err, out.WriteListEnd(ctx), out.WriteFieldEnd(ctx))
}

func (r *request) Read(context.Context, thrift.TProtocol) error { return errors.New("never read") }

type result struct{ text string }

func (r *result) Write(context.Context, thrift.TProtocol) error { return errors.New("never written") }

// Read takes the first string, which is field 1 of field 0.
func (r *result) Read(ctx context.Context, in thrift.TProtocol) error {
	if _, err := in.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, _, err := in.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		switch kind {
		case thrift.STOP:
			return in.ReadStructEnd(ctx)
		case thrift.STRUCT:
			err = r.Read(ctx, in)
		case thrift.STRING:
			r.text, err = in.ReadString(ctx)
		default:
			err = in.Skip(ctx, kind)
		}
		if err = errors.Join(err, in.ReadFieldEnd(ctx)); err != nil {
			return err
		}
	}
}

func work(address string, number, calls int) error {
	config := &thrift.TConfiguration{ConnectTimeout: 5 * time.Second, SocketTimeout: 20 * time.Second}
	transport := thrift.NewTFramedTransportConf(thrift.NewTSocketConf(address, config), config)
	if err := transport.Open(); err != nil {
		return err
	}
	defer transport.Close()
	protocol := thrift.NewTCompactProtocolConf(transport, config)
	client := thrift.NewTStandardClient(protocol, protocol)
	for call := 0; call < calls; call++ {
		bad := call%10 == 9
		it := &request{name: fmt.Sprintf("go %d/%d", number, call), count: int32(call), items: []int32{1, 2, int32(call%7 + 1)}}
		if bad {
			it.count = -1
		}
		got := &result{}
		_, err := client.Call(context.Background(), "echo", it, got)
		var refused thrift.TApplicationException
		switch {
		case bad && errors.As(err, &refused) && refused.TypeId() == 11 && strings.Contains(refused.Error(), "request.count"):
		case err != nil:
			return fmt.Errorf("%s: %w", it.name, err)
		case bad || got.text != fmt.Sprintf("%s:%d:%d", it.name, call, 3+call%7+1):
			return fmt.Errorf("%s: got %q", it.name, got.text)
		}
	}
	return nil
}

func main() {
	address := os.Args[1]
	calls, _ := strconv.Atoi(os.Args[2])
	connections, _ := strconv.Atoi(os.Args[3])
	var group sync.WaitGroup
	failures := make(chan error, connections)
	for number := 0; number < connections; number++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := work(address, number, calls/connections); err != nil {
				failures <- err
			}
		}()
	}
	group.Wait()
	close(failures)
	failed := false
	for err := range failures {
		fmt.Fprintln(os.Stderr, err)
		failed = true
	}
	if failed {
		os.Exit(1)
	}
	fmt.Println(calls/connections*connections, "calls")
}
