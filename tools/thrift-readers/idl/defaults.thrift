// Fields that have values where they are not sent.
// not for apache-rust: its reader gives an absent field a zero and knows no defaults
enum Level { LOW = 1, HIGH = 2 }
struct Root {
  1: i32 a = 5 (vt.gt = "4")
  2: string b = "abc" (vt.prefix = "ab")
  3: list<i32> c = [1, 2] (vt.min_size = "1", vt.elem.gt = "0")
  4: map<string, i32> d = {"k": 1} (vt.value.gt = "0")
  5: bool e = true (vt.const = "true")
  6: double f = 1.5 (vt.gt = "1")
  7: optional i32 g = 3 (vt.lt = "$a")
  8: Level h = Level.HIGH (vt.defined_only = "true")
  9: i32 i (vt.lt = "$a")
  10: optional string j = "x" (vt.max_size = "@len($b)")
}
// try "ab" "abc" "abcd" "k"
