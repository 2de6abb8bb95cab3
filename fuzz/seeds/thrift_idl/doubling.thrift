typedef map<T1,T1> T0
typedef map<T2,T2> T1
typedef map<T3,T3> T2
typedef map<T4,T4> T3
typedef map<T5,T5> T4
typedef map<T6,T6> T5
typedef map<T7,T7> T6
typedef map<T8,T8> T7
typedef map<T9,T9> T8
typedef map<T10,T10> T9
typedef map<T11,T11> T10
typedef map<T12,T12> T11
typedef i32 T12 (vt.gt="0")
struct S {1: T0 a (vt.key.min_size="1") 2: T1 b}
