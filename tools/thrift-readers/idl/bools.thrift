// Truth values, which the protocols write in two ways.
struct Root {
  1: bool agreed (vt.const = "true")
  2: bool banned (vt.const = "false")
  3: bool same (vt.eq = "$twin")
  4: bool twin
  5: list<bool> all (vt.elem.eq = "true")
  6: map<bool, i32> sides (vt.key.const = "true")
  7: optional bool maybe (vt.ne = "$same")
  8: i32 after (vt.gt = "3")
}
