// A kitex client and a kitex server, on both sides of the proxy: `kitex server IDL` prints the address that it
// listens on; `kitex client IDL ADDRESS TRANSPORT CALLS CONNECTIONS` calls it through the proxy; `kitex stream IDL ADDRESS`
// opens a stream, and prints what comes of it.
//
// Both read the IDL when they start, so that nothing needs to be generated.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/client/genericclient"
	"github.com/cloudwego/kitex/pkg/generic"
	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/cloudwego/kitex/pkg/remote"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/server/genericserver"
	"github.com/cloudwego/kitex/transport"
)

var transports = map[string]transport.Protocol{
	"plain":           transport.PurePayload,
	"framed":          transport.Framed,
	"ttheader":        transport.TTHeader,
	"ttheader-framed": transport.TTHeaderFramed,
}

// echo answers calls as all servers of these tests do.
func echo(_ context.Context, _, method string, request interface{}) (interface{}, error) {
	if method != "echo" {
		return nil, fmt.Errorf("nobody calls `%s`", method)
	}
	it := request.(map[string]interface{})
	sum := int32(0)
	items, _ := it["items"].([]interface{})
	for _, item := range items {
		sum += item.(int32)
	}
	return map[string]interface{}{"text": fmt.Sprintf("%s:%d:%d", it["name"], it["count"], sum)}, nil
}

// chat answers each message of a stream.
func chat(ctx context.Context, _, method string, stream generic.BidiStreamingServer) error {
	for {
		request, err := stream.Recv(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := request.(map[string]interface{})["name"]
		if err := stream.Send(ctx, map[string]interface{}{"text": fmt.Sprintf("%s to %s", method, name)}); err != nil {
			return err
		}
	}
}

func description(idl string) (generic.Generic, error) {
	provider, err := generic.NewThriftFileProvider(idl)
	if err != nil {
		return nil, err
	}
	return generic.MapThriftGeneric(provider)
}

func serve(idl string) error {
	it, err := description(idl)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	service := &generic.ServiceV2{GenericCall: echo, BidiStreaming: chat}
	return genericserver.NewServerV2(service, it, server.WithListener(listener)).Run()
}

// work calls on a connection of its own.
func work(it generic.Generic, address string, how transport.Protocol, number, calls int) error {
	client, err := genericclient.NewClient("Echo", it,
		client.WithHostPorts(address),
		client.WithTransportProtocol(how),
		client.WithRPCTimeout(20*time.Second),
		client.WithConnectTimeout(5*time.Second))
	if err != nil {
		return err
	}
	defer client.Close()
	for call := 0; call < calls; call++ {
		name := fmt.Sprintf("kitex %d/%d", number, call)
		count, bad := int32(call), call%10 == 9
		if bad {
			count = -1
		}
		items := []interface{}{int32(1), int32(2), int32(call%7 + 1)}
		request := map[string]interface{}{"name": name, "count": count, "items": items}
		got, err := client.GenericCall(context.Background(), "echo", request)
		if bad {
			var refused *remote.TransError
			if !errors.As(err, &refused) || refused.TypeID() != 11 || !strings.Contains(refused.Error(), "request.count") {
				return fmt.Errorf("%s: expected to be refused: %v, %w", name, got, err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		expected := fmt.Sprintf("%s:%d:%d", name, count, 3+call%7+1)
		if text := got.(map[string]interface{})["text"]; text != expected {
			return fmt.Errorf("%s: got %q", name, text)
		}
	}
	return nil
}

func call(idl, address, how string, calls, connections int) error {
	it, err := description(idl)
	if err != nil {
		return err
	}
	protocol, known := transports[how]
	if !known {
		return fmt.Errorf("there is no transport `%s`", how)
	}
	var group sync.WaitGroup
	failures := make([]error, connections)
	for number := range failures {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			failures[number] = work(it, address, protocol, number, calls/connections)
		}(number)
	}
	group.Wait()
	fmt.Println(calls/connections*connections, "calls")
	return errors.Join(failures...)
}

// talk opens a stream, says one thing, and prints what is answered.
func talk(idl, address string) error {
	it, err := description(idl)
	if err != nil {
		return err
	}
	client, err := genericclient.NewClient("Echo", it,
		client.WithHostPorts(address),
		client.WithTransportProtocol(transport.TTHeaderStreaming),
		client.WithConnectTimeout(5*time.Second))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stream, err := client.BidirectionalStreaming(ctx, "chat")
	if err != nil {
		return err
	}
	// If the stream is over by then, receiving says why.
	_ = stream.Send(ctx, map[string]interface{}{"name": "bob", "count": int32(1)})
	got, err := stream.Recv(ctx)
	if err != nil {
		return err
	}
	fmt.Println(got.(map[string]interface{})["text"])
	return stream.CloseSend(ctx)
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "server":
		return serve(arguments[1])
	case len(arguments) == 6 && arguments[0] == "client":
		calls, _ := strconv.Atoi(arguments[4])
		connections, _ := strconv.Atoi(arguments[5])
		return call(arguments[1], arguments[2], arguments[3], calls, connections)
	case len(arguments) == 3 && arguments[0] == "stream":
		return talk(arguments[1], arguments[2])
	}
	return errors.New("usage: kitex server IDL | kitex client IDL ADDRESS TRANSPORT CALLS CONNECTIONS | kitex stream IDL ADDRESS")
}

func main() {
	klog.SetLevel(klog.LevelError)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
