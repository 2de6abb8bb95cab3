// References to elements and entries.
struct Root {
  1: list<i32> l (vt.min_size = "2")
  2: map<string, i32> m
  3: i32 a (vt.ge = "$l[0]")
  4: i32 b (vt.gt = "$m['k']")
  5: list<i32> c (vt.elem.ge = "$l[1]")
  6: map<i32, i32> d
  7: optional i32 e (vt.ne = "$d[3]")
}
// try "k" "x"
