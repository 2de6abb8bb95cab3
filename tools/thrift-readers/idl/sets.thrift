// Sets, whose elements may come twice on the wire.
enum Color { RED = 1, GREEN = 2, BLUE = 4 }
struct Root {
  1: set<i32> numbers (vt.min_size = "1", vt.max_size = "4", vt.elem.gt = "0")
  2: set<string> words (vt.max_size = "3", vt.elem.prefix = "w")
  3: set<Color> colors (vt.elem.defined_only = "true")
  4: optional set<i64> ids (vt.min_size = "2")
  5: set<i8> tiny (vt.elem.ne = "3")
}
// try "w" "we" "wow" "x"
