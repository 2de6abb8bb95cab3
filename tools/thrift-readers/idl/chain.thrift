// A struct that contains itself.
struct Root {
  1: i32 value (vt.gt = "0")
  2: optional Root tail
  3: list<Root> children (vt.max_size = "3")
  4: map<string, Root> named (vt.key.prefix = "n")
  5: optional i32 bound (vt.ge = "$value")
}
// try "n" "n1" "m"
