// An exception at the root.
exception Cause { 1: required i32 code (vt.gt = "0"), 2: optional string detail (vt.max_size = "5") }
exception Root {
  1: required i32 code (vt.ge = "400", vt.lt = "600")
  2: string reason (vt.min_size = "1")
  3: optional Cause cause
  4: list<Cause> causes (vt.max_size = "2")
}
