//! Ranges of IP addresses.

use super::reading::range;
use super::{Family, Function};
use crate::types::{Overload as O, ParameterRow as P, PropertyFlags, Ty, TypeFlags};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "cidrHost",
        "Returns the address of a host in a range of IP addresses.",
        &[O::always(&[P::new("network", Ty::string), P::new("index", Ty::int)], Ty::string)],
    ),
    row(
        "cidrSubnet",
        "Returns one of the smaller ranges that a range of IP addresses can be divided into.",
        &[O::always(
            &[P::new("network", Ty::string), P::new("prefix", Ty::int), P::new("index", Ty::int)],
            Ty::string,
        )],
    ),
    row(
        "parseCidr",
        "Takes a range of IP addresses apart: network, mask, broadcast address, first and last usable address.",
        &[O::always(&[P::new("network", Ty::string)], parts)],
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Cidr, name, doc, overloads)
}

fn parts() -> Ty {
    let texts = ["network", "netmask", "broadcast", "firstUsable", "lastUsable"];
    let texts = texts.map(|name| (name, Ty::string(), PropertyFlags::empty()));
    let prefix = Ty::int_within(range(Some(0), Some(255)), TypeFlags::empty());
    Ty::closed_object("parseCidr", texts.into_iter().chain([("cidr", prefix, PropertyFlags::empty())]))
}
