// Doubles, with those that are no numbers.
struct Root {
  1: double ratio (vt.ge = "0", vt.le = "1")
  2: double any (vt.ne = "2.5")
  3: optional double one (vt.in = "[1.5, 2.5, -3]")
  4: list<double> series (vt.elem.lt = "100.25")
  5: double upper (vt.gt = "$ratio")
  6: map<string, double> named (vt.value.gt = "-1.5")
  7: optional double zero (vt.eq = "0")
}
