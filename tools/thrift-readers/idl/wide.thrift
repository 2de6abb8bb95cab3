// Many fields, with numbers far apart and out of order.
struct Root {
  1: i32 f1 (vt.gt = "0")
  20: i32 f20 (vt.gt = "0")
  21: string f21 (vt.max_size = "3")
  300: i64 f300 (vt.lt = "0")
  17: bool f17 (vt.const = "true")
  1000: list<i32> f1000 (vt.elem.gt = "0")
  32767: i16 f32767 (vt.gt = "0")
  5: optional i8 f5 (vt.gt = "0")
  6: optional i16 f6 (vt.gt = "0")
  7: optional double f7 (vt.gt = "0")
  8: optional bool f8 (vt.const = "false")
  9: optional string f9 (vt.min_size = "1")
  10: optional i64 f10 (vt.gt = "$f300")
  2000: i32 f2000 (vt.ge = "$f1")
}
