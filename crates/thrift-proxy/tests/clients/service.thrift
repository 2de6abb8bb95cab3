// The service that real clients call through the proxy.

struct Request {
  1: required string name (vt.min_size = "1", vt.max_size = "40")
  2: i32 count (vt.ge = "0")
  3: optional list<i32> items (vt.elem.gt = "0")
  4: optional string token (vt.prefix = "ok-", vt.redact = "true")
}

struct Answer {
  1: string text
}

service Base {
  i32 notes()
}

service Echo extends Base {
  Answer echo(1: Request request (vt.not_nil = "true"))
  oneway void note(1: string text (vt.min_size = "1"))
}
