// References into structs.
struct Limits { 1: i32 low, 2: i32 high (vt.ge = "$low"), 3: optional Limits tighter }
struct Root {
  1: Limits limits
  2: i32 value (vt.ge = "$limits.low", vt.le = "$limits.high")
  3: list<i32> values (vt.elem.le = "$limits.high")
  4: optional i32 close (vt.lt = "$limits.tighter.high")
  5: map<string, i32> named (vt.value.ge = "$limits.low")
}
