// A bound that is another field, which has a value even where it is not sent.
// not for apache-rust: its reader gives an absent field a zero and knows no defaults
struct Root {
  1: i32 a (vt.lt = "$b")
  2: i32 b = 10
  3: i64 low (vt.le = "$high")
  4: i64 high = 100
  5: optional i32 c (vt.gt = "$a", vt.lt = "$d")
  6: optional i32 d
}
