// Rules on the whole of a struct.
struct Range {
  1: i32 low
  2: i32 high
} (vt.assert = "@le($low, $high)")
struct Root {
  1: Range range
  2: optional i32 x
  3: optional i32 y
  4: list<i32> items
  5: i32 count
  6: list<Range> ranges
} (vt.assert = "@equal(@len($items), $count)", vt.assert = "@or(@not(@has($x)), @has($y))")
