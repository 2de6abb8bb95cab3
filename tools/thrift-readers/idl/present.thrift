// Fields that may be absent, but for rules.
struct Part { 1: optional i32 n (vt.not_nil = "true", vt.gt = "0"), 2: optional bool on (vt.not_nil = "true") }
struct Root {
  1: optional i32 a (vt.not_nil = "true")
  2: optional string b (vt.not_nil = "true", vt.max_size = "4")
  3: optional Part c (vt.not_nil = "true")
  4: optional list<Part> d (vt.not_nil = "true", vt.elem.not_nil = "true")
  5: optional binary e (vt.not_nil = "true")
  6: optional double f
}
