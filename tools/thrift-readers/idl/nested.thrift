// Containers of containers.
struct Root {
  1: list<list<i32>> grid (vt.max_size = "4", vt.elem.min_size = "1", vt.elem.elem.ge = "0")
  2: map<string, list<map<i32, string>>> deep (vt.value.elem.key.gt = "0", vt.value.elem.value.min_size = "1")
  3: list<set<i16>> groups (vt.elem.max_size = "3", vt.elem.elem.lt = "50")
  4: map<i32, map<i32, i64>> tables (vt.value.value.gt = "0")
  5: i32 tail (vt.const = "42")
}
