// Elements and entries of equal and unequal widths, which another type would turn into other values.
struct Pair { 1: i32 a (vt.gt = "0"), 2: i32 b (vt.gt = "0") }
struct Root {
  1: list<i64> longs (vt.elem.in = "[1, 2, 3]")
  2: map<i32, i32> ints (vt.key.in = "[1, 2]", vt.value.in = "[3, 4]")
  3: map<i8, i64> mixed (vt.value.gt = "0")
  4: list<Pair> pairs
  5: set<double> doubles (vt.elem.gt = "0")
  6: map<string, bool> flags (vt.value.const = "true")
  7: list<map<i32, i64>> tables (vt.elem.value.gt = "0")
  8: i64 last (vt.const = "77")
}
