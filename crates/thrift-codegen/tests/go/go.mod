// Pins the tools that generated Go is tried with.
module tools

go 1.20

require (
	github.com/cloudwego/kitex v0.16.3
	github.com/cloudwego/thrift-gen-validator v0.2.6
	github.com/cloudwego/thriftgo v0.4.5
)

require (
	github.com/bytedance/gopkg v0.1.4 // indirect
	github.com/cloudwego/gopkg v0.2.0 // indirect
	github.com/cloudwego/prutal v0.1.3 // indirect
	github.com/dlclark/regexp2 v1.11.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	golang.org/x/tools v0.6.0 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
