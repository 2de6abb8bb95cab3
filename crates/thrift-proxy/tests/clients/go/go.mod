module clients

go 1.22.0

require github.com/apache/thrift v0.21.0
