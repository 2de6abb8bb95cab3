// One of several fields.
union Value {
  1: i32 number (vt.gt = "0")
  2: string text (vt.min_size = "1")
  3: list<i32> many (vt.elem.lt = "10")
}
struct Root {
  1: required Value value
  2: optional Value other
  3: list<Value> values (vt.max_size = "3")
  4: i32 n (vt.ge = "1")
}
