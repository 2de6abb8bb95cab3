// Parts that nobody looks at, beside parts that are looked at.
struct Free { 1: i32 a, 2: list<string> b, 3: optional Free more, 4: map<i64, double> c, 5: bool d }
struct Strict { 1: i32 a (vt.gt = "0"), 2: optional Free free }
struct Root {
  1: Strict ignored (vt.skip = "true")
  2: Strict checked
  3: Free free
  4: list<Free> frees
  5: list<Strict> many (vt.elem.skip = "true")
  6: list<Strict> all
  7: i32 tail (vt.in = "[1, 2, 3]")
}
