// The part of the service that kitex can be told of when it starts: no function without arguments.

struct Request {
  1: required string name
  2: i32 count
  3: optional list<i32> items
}

struct Answer {
  1: string text
}

service Echo {
  Answer echo(1: Request request)
  Answer chat(1: Request request) (streaming.mode = "bidirectional")
}
