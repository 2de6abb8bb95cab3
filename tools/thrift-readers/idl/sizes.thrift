// Sizes that other fields say.
struct Root {
  1: string s (vt.max_size = "$n")
  2: i32 n (vt.ge = "1")
  3: list<i32> l (vt.min_size = "@len($s)")
  4: list<string> t (vt.elem.max_size = "@len($s)")
  5: optional i64 total (vt.eq = "@len($l)")
  6: map<i32, i32> m (vt.max_size = "$n", vt.value.le = "$n")
}
