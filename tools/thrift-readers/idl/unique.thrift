// Elements that are all different.
struct Root {
  1: list<i64> longs (vt.unique = "true")
  2: list<string> names (vt.unique = "true", vt.elem.min_size = "1")
  3: list<double> doubles (vt.unique = "true")
  4: set<i32> numbers (vt.unique = "true")
  5: list<bool> flags (vt.unique = "true")
  6: set<string> words (vt.unique = "true", vt.max_size = "3")
  7: list<i8> bytes (vt.unique = "true")
}
