//! Ranges of IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Arguments, Function, FunctionError, pure};
use crate::value::{ObjectBuilder, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("cidrHost", "network, index", cidr_host, "Returns the address of a host in a range."),
    pure(
        "cidrSubnet",
        "network, prefix, index",
        cidr_subnet,
        "Returns one of the smaller ranges that a range can be divided into.",
    ),
    pure("parseCidr", "network", parse_cidr, "Takes a range of addresses apart."),
];

/// A range: its first address, how many bits all its addresses share, and how many an address has.
#[derive(Clone, Copy)]
struct Network {
    first: u128,
    prefix: u32,
    bits: u32,
}

/// The prefix of an address that is written without one: that of its class, as networks once had them.
fn class_of(address: IpAddr) -> Option<u32> {
    match address {
        IpAddr::V4(address) => match address.octets() {
            [0..=127, ..] => Some(8),
            [128..=191, ..] => Some(16),
            [192..=223, ..] => Some(24),
            _ => None,
        },
        IpAddr::V6(_) => Some(64),
    }
}

impl Network {
    fn of(arguments: Arguments<'_>) -> Result<Network, FunctionError> {
        let text = arguments.str_at(0)?;
        let wrong =
            || FunctionError::Argument(format!("`{text}` is not a range of addresses such as `10.0.0.0/16`"));
        let (address, prefix) =
            text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let prefix = match prefix {
            Some(prefix) => prefix.parse().ok(),
            None => class_of(address),
        };
        let (address, bits) = match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let prefix = prefix.filter(|prefix| *prefix <= bits).ok_or_else(wrong)?;
        Ok(Network { first: address & mask(prefix, bits), prefix, bits })
    }

    fn last(self) -> u128 {
        self.first | !mask(self.prefix, self.bits) & mask(self.bits, self.bits)
    }

    fn address(self, address: u128) -> String {
        match self.bits {
            32 => Ipv4Addr::from(address as u32).to_string(),
            _ => Ipv6Addr::from(address).to_string(),
        }
    }
}

/// The bits of an address that belong to the range.
fn mask(prefix: u32, bits: u32) -> u128 {
    let all = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    all & all.checked_shl(bits - prefix).unwrap_or(0)
}

fn parse_cidr(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let network = Network::of(arguments)?;
    let (first, last) = (network.first, network.last());
    // An IPv4 range of four or more keeps its first address for itself and its last for broadcasts.
    let (first_usable, last_usable) =
        if network.bits == 32 && network.prefix < 31 { (first + 1, last - 1) } else { (first, last) };
    let mut object = ObjectBuilder::default();
    let mut set =
        |name: &'static str, address: u128| object.set(name.into(), network.address(address).into());
    set("network", first);
    set("netmask", mask(network.prefix, network.bits));
    if network.bits == 32 {
        set("broadcast", last);
    }
    set("firstUsable", first_usable);
    set("lastUsable", last_usable);
    object.set("cidr".into(), Value::Int(network.prefix.into()));
    Ok(object.finish())
}

fn cidr_subnet(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let network = Network::of(arguments)?;
    let (prefix, index) = (arguments.int(1)?, arguments.int(2)?);
    let fits = (i64::from(network.prefix)..=i64::from(network.bits)).contains(&prefix);
    let Some(prefix) = u32::try_from(prefix).ok().filter(|_| fits) else {
        let message = format!("the new prefix must be {} to {}, not {prefix}", network.prefix, network.bits);
        return Err(FunctionError::Argument(message));
    };
    let beyond = || FunctionError::Argument(format!("there is no range with the index {index}"));
    let index = u128::try_from(index).map_err(|_| beyond())?;
    // The one range with the prefix 0 has no size that 128 bits hold, and needs none.
    let size = 1_u128.checked_shl(network.bits - prefix);
    let offset = if index == 0 { Some(0) } else { size.and_then(|size| index.checked_mul(size)) };
    let first = offset.and_then(|offset| network.first.checked_add(offset)).ok_or_else(beyond)?;
    if first > mask(network.bits, network.bits) {
        return Err(beyond());
    }
    Ok(format!("{}/{prefix}", network.address(first)).into())
}

fn cidr_host(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let network = Network::of(arguments)?;
    let index = arguments.int(1)?;
    let last = if network.bits == 32 { network.last().saturating_sub(1) } else { network.last() };
    let host = u128::try_from(index).ok().and_then(|index| network.first.checked_add(index)?.checked_add(1));
    match host.filter(|host| *host <= last) {
        Some(host) => Ok(network.address(host).into()),
        None => Err(FunctionError::Argument(format!("there is no host with the index {index}"))),
    }
}
