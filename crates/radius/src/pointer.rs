//! JSON pointers that grow with a walk.

/// Does something one step further down.
pub(crate) fn within<R>(pointer: &mut String, step: &str, work: impl FnOnce(&mut String) -> R) -> R {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(step);
    let done = work(pointer);
    pointer.truncate(length);
    done
}

/// A name as a step of a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
