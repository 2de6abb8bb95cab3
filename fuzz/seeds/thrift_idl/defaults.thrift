const list<B> C = [{}]
struct A {1: B b = {} 2: list<B> l = C}
struct B {1: i32 n = 1 2: optional A a = {}}
struct S {1: binary b (vt.prefix="\xff", vt.in="[\"\xfe\"]") 2: list<i32> u (vt.unique="true")}
