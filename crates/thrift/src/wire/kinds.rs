//! The types of the wire, and their numbers and tags in each protocol.

/// Declares the types: variant, binary number, compact number, JSON tag, smallest size in binary and compact.
macro_rules! wire_types {
    ($($variant:ident $binary:literal $compact:literal $tag:literal $min_binary:literal $min_compact:literal $doc:literal)*) => {
        /// A type as the wire knows it: `string` and `binary` are one, an enum is an `i32`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum WireType {
            /// No type: the end of a struct, or the elements of an empty container.
            Stop = 0,
            $(#[doc = $doc] $variant = $binary,)*
        }

        impl WireType {
            /// Returns the number of the binary protocol.
            #[inline]
            pub fn binary(self) -> u8 {
                self as u8
            }

            /// Finds a type by its number in the binary protocol.
            #[inline]
            pub fn from_binary(number: u8) -> Option<WireType> {
                match number { $($binary => Some(WireType::$variant),)* _ => None }
            }

            /// Returns the number of the compact protocol; a truth value is 1 here.
            #[inline]
            pub fn compact(self) -> u8 {
                match self { WireType::Stop => 0, $(WireType::$variant => $compact),* }
            }

            /// Finds a type by its number in the compact protocol; 2 is the other truth value.
            #[inline]
            pub fn from_compact(number: u8) -> Option<WireType> {
                match number { 2 => Some(WireType::Bool), $($compact => Some(WireType::$variant),)* _ => None }
            }

            /// Returns the tag of the JSON protocol.
            pub fn tag(self) -> &'static str {
                match self { WireType::Stop => "", $(WireType::$variant => $tag),* }
            }

            /// Finds a type by its tag in the JSON protocol.
            pub fn from_tag(tag: &[u8]) -> Option<WireType> {
                $(if tag == $tag.as_bytes() { return Some(WireType::$variant); })*
                None
            }

            /// The fewest bytes that a value takes in the binary protocol.
            #[inline]
            pub(super) fn min_binary(self) -> usize {
                match self { WireType::Stop => 0, $(WireType::$variant => $min_binary),* }
            }

            /// The fewest bytes that a value takes in the compact protocol.
            #[inline]
            pub(super) fn min_compact(self) -> usize {
                match self { WireType::Stop => 0, $(WireType::$variant => $min_compact),* }
            }

            #[cfg(test)]
            pub(super) const ALL: &'static [WireType] = &[$(WireType::$variant),*];
        }
    };
}

wire_types! {
    Bool    2  1  "tf"  1  1  "A truth value."
    I8      3  3  "i8"  1  1  "8 bits."
    Double  4  7  "dbl" 8  8  "A double."
    I16     6  4  "i16" 2  1  "16 bits."
    I32     8  5  "i32" 4  1  "32 bits, or an enum."
    I64     10 6  "i64" 8  1  "64 bits."
    String  11 8  "str" 4  1  "Text or bytes."
    Struct  12 12 "rec" 1  1  "A struct, union or exception."
    Map     13 11 "map" 6  1  "A map."
    Set     14 10 "set" 5  1  "A set."
    List    15 9  "lst" 5  1  "A list."
    Uuid    16 13 "uid" 16 16 "A uuid."
}

impl WireType {
    /// Returns the word that the IDL has for it.
    pub fn name(self) -> &'static str {
        match self {
            WireType::Stop => "nothing",
            WireType::Bool => "bool",
            WireType::I8 => "i8",
            WireType::Double => "double",
            WireType::I16 => "i16",
            WireType::I32 => "i32",
            WireType::I64 => "i64",
            WireType::String => "string",
            WireType::Struct => "struct",
            WireType::Map => "map",
            WireType::Set => "set",
            WireType::List => "list",
            WireType::Uuid => "uuid",
        }
    }

    /// Whether every value takes the same number of bytes in the binary protocol.
    pub(crate) fn is_fixed_binary(self) -> bool {
        self.fixed_binary().is_some()
    }

    /// The size of every value in the binary protocol, for types that have one.
    #[inline]
    pub(super) fn fixed_binary(self) -> Option<usize> {
        match self {
            WireType::Bool
            | WireType::I8
            | WireType::Double
            | WireType::I16
            | WireType::I32
            | WireType::I64
            | WireType::Uuid => Some(self.min_binary()),
            WireType::Stop
            | WireType::String
            | WireType::Struct
            | WireType::Map
            | WireType::Set
            | WireType::List => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_tags_lead_back_to_their_type() {
        for ty in WireType::ALL {
            assert_eq!(WireType::from_binary(ty.binary()), Some(*ty));
            assert_eq!(WireType::from_compact(ty.compact()), Some(*ty));
            assert_eq!(WireType::from_tag(ty.tag().as_bytes()), Some(*ty));
        }
        assert_eq!(WireType::from_binary(0), None);
        assert_eq!(WireType::from_compact(14), None);
    }
}
