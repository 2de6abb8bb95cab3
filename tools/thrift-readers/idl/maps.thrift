// Maps, whose keys may come twice on the wire.
struct Root {
  1: map<string, i32> counts (vt.key.min_size = "1", vt.value.ge = "0", vt.min_size = "1")
  2: map<i32, string> names (vt.key.gt = "0", vt.value.max_size = "5")
  3: map<i64, double> weights (vt.max_size = "3", vt.value.gt = "0")
  4: map<i16, bool> flags (vt.value.const = "true")
  5: optional map<i8, i8> pairs (vt.min_size = "2", vt.key.lt = "10", vt.value.lt = "20")
}
