// Whole numbers of every width, with bounds on both sides.
struct Root {
  1: i8 tiny (vt.gt = "-5", vt.le = "100")
  2: i16 small (vt.ge = "-300", vt.lt = "3000")
  3: i32 plain (vt.gt = "0")
  4: i64 large (vt.ge = "-5000000000", vt.le = "5000000000")
  5: optional i32 some (vt.lt = "10")
  6: optional i64 more (vt.ne = "7")
}
