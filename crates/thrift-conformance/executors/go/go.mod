// An executor for validators that generate Go. It needs nothing but the standard library.
module executor

go 1.20
