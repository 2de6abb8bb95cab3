namespace go options.api

include "base.thrift"

struct Req {
  1: base.Base base
  2: i32 n = 10 (vt.gt = "0", vt.le = "100")
  3: base.Bases list
  4: map<string, base.Base> entries (vt.no_sparse = "true")
  5: optional double d (vt.lt = "@twice($n)")
  6: string token (vt.max_size = "3", vt.redact = "true")
}

service Svc {
  string call(1: Req req (vt.not_nil = "true"), 2: i32 k (vt.gt = "1"))
}
