//go:build tools

// Package tools names the programs whose versions go.mod pins.
package tools

import (
	_ "github.com/cloudwego/kitex/tool/cmd/kitex"
	_ "github.com/cloudwego/thrift-gen-validator"
	_ "github.com/cloudwego/thriftgo"
)
