namespace go test

enum Mode { fast = 1, slow = 2 }

struct Deep { 1: required i64 leaf }

struct Inner {
  1: required string leaf
  2: optional Deep deep
}

struct Vault {
  1: required string key (vt.redact = "true")
  2: optional i64 size
}

struct Widget {
  1: required string name (vt.min_rune_size = "2", vt.max_rune_size = "10")
  2: required i64 count (vt.ge = "1", vt.le = "9")
  3: optional bool on
  4: optional Mode mode (vt.defined_only = "true")
  5: optional i64 level (vt.ge = "1", vt.le = "3")
  6: optional list<string> list (vt.min_size = "1", vt.max_size = "4")
  7: optional list<i64> nums
  8: optional string sec (vt.max_size = "40", vt.redact = "true")
  9: optional string code (vt.prefix = "ok-")
  10: optional Inner inner
  11: optional map<string, i64> map
  12: optional Vault vault
}

service Gate {
  void put(1: Widget w)
  Widget get()
}
