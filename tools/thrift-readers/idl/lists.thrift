// Lists of each kind of element that has a width of its own.
struct Root {
  1: list<i64> longs (vt.elem.gt = "0")
  2: list<i32> ints (vt.elem.ge = "1", vt.elem.lt = "1000")
  3: list<i16> shorts (vt.elem.gt = "0", vt.max_size = "6")
  4: list<i8> bytes (vt.elem.le = "9")
  5: list<double> doubles (vt.elem.ge = "0")
  6: list<bool> flags (vt.elem.const = "true")
  7: list<string> names (vt.elem.min_size = "2", vt.elem.max_size = "8")
  8: i32 last (vt.gt = "5")
}
