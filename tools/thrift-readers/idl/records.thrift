// Lists of structs whose fields look at each other.
struct Line { 1: i32 quantity (vt.gt = "0"), 2: double price (vt.ge = "0"), 3: optional double discount (vt.le = "$price"), 4: string sku (vt.pattern = "^[A-Z]{2}") }
struct Root {
  1: list<Line> lines (vt.min_size = "1", vt.max_size = "5")
  2: map<i32, Line> by_number (vt.key.gt = "0")
  3: optional Line gift
  4: map<string, list<Line>> groups (vt.value.max_size = "2")
}
// try "AB" "ABC" "ab"
