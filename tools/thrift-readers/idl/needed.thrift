// Fields that must be there.
struct Part { 1: required i32 size (vt.gt = "0"), 2: required bool ready, 3: optional string label (vt.min_size = "1") }
struct Root {
  1: required i32 a (vt.gt = "0")
  2: required string b (vt.min_size = "1")
  3: required Part c
  4: required list<Part> d (vt.min_size = "1")
  5: required map<i32, Part> e
  6: required double f (vt.lt = "9.5")
}
