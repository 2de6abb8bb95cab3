//! The hashes of the template language: the 64-bit hash under `uniqueString` and template hashes, and `guid`.

mod lanes;

use sha1::{Digest, Sha1};

pub use lanes::{Hasher, hash};

/// The digits of `uniqueString`.
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The namespace of the names that `guid` hashes.
const GUID_NAMESPACE: [u8; 16] =
    [0x11, 0xfb, 0x06, 0xfb, 0x71, 0x2d, 0x4d, 0xdd, 0x98, 0xc7, 0xe7, 0x1b, 0xbd, 0x58, 0x88, 0x30];

/// The thirteen characters that `uniqueString` gives for some texts.
pub fn unique_string<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Hasher::default();
    for_each_joined(texts, |bytes| hasher.write(bytes));
    let hash = hasher.finish();
    // Five bits a digit from the top; the last digit has four of its own, and a zero.
    (0..13)
        .map(|digit| {
            let bits = (u128::from(hash) << 1) >> (60 - 5 * digit) & 31;
            char::from(DIGITS.get(bits as usize).copied().unwrap_or(b'a'))
        })
        .collect()
}

/// The version 5 UUID that `guid` gives for some texts.
pub fn guid<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    uuid_text(guid_bytes(texts))
}

/// The bytes of the version 5 UUID of some texts.
pub fn guid_bytes<'t>(texts: impl IntoIterator<Item = &'t str>) -> [u8; 16] {
    let mut name = Sha1::new_with_prefix(GUID_NAMESPACE);
    for_each_joined(texts, |bytes| name.update(bytes));
    let digest = name.finalize();
    let mut uuid = [0; 16];
    uuid.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut uuid;
    *version = *version & 0x0f | 0x50;
    *variant = *variant & 0x3f | 0x80;
    uuid
}

/// The text of a UUID, in small letters.
pub(crate) fn uuid_text(uuid: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (position, byte) in uuid.into_iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
        }
    }
    text
}

fn for_each_joined<'t>(texts: impl IntoIterator<Item = &'t str>, mut take: impl FnMut(&[u8])) {
    for (position, text) in texts.into_iter().enumerate() {
        if position > 0 {
            take(b"-");
        }
        take(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_strings_are_those_that_the_service_gives() {
        let scope = "/subscriptions/00000000-0000-0000-0000-000000000000";
        let group = format!("{scope}/resourceGroups/myRg");
        let other = format!("{scope}/resourceGroups/my-rg");
        let vectors: &[(&[&str], &str)] = &[
            (&["t"], "fsnwonksnm7cy"),
            (&["te"], "o57ehhbytctgs"),
            (&["tes"], "ebse57jls4qbc"),
            (&["test"], "rbgf3xv4ufgzg"),
            (&["t", "e"], "d5ykh7yoidm2a"),
            (&["tyeth"], "zcztcwvu6iyg6"),
            (&["test", "test2", "test3"], "bqgd334z2uj64"),
            (&["hello", "world"], "a7wkljktk6wne"),
            (&["abc"], "cgtzqvhu4i23s"),
            (&["foo", "bar", "baz"], "xzi4ioaxtmth4"),
            (&["fu"], "6rkxbspxjmsho"),
            (&["fubar"], "cj2xpqsiwjfne"),
            (&["fu", "bar"], "q5wxoscxs5j6k"),
            (&["asd", "asdf", "asdf"], "iizpqit7ih3cc"),
            (&[scope, "resource-id"], "cwvxuqg24sifi"),
            (&[&group], "js26ofeqkqeve"),
            (&[&other], "bmg7c6xu4tw46"),
            (
                &[
                    "/subscriptions/3c7f956b-55ee-4686-9d30-da1eb631dc59/resourceGroups/rg-devopsshieldek010dev",
                ],
                "fd63l2gacbtca",
            ),
            (
                &[
                    "/subscriptions/31e9f9a0-9fd2-4294-a0a3-0101246d9700/resourceGroups/rg-modm201-20230913120256\
                   /providers/Microsoft.Compute/virtualMachines/bobjacmodm201",
                ],
                "yvjxno3je5on2",
            ),
            (&[""], "aaaaaaaaaaaaa"),
            (&["a"], "eveiun73364hy"),
            (&["12345678"], "bgwkv3ufmboyc"),
            (&["123456789"], "ex34imgicgnu6"),
            (&["é"], "5i6hbiqzwuby6"),
            (&["日本語"], "ncwlzxbgc5dlo"),
            (&["a", "", "b"], "wrc7numtco5se"),
        ];
        for (texts, expected) in vectors {
            assert_eq!(unique_string(texts.iter().copied()), *expected, "{texts:?}");
        }
    }

    #[test]
    fn guids_are_version_five_of_the_joined_texts() {
        let group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg";
        let vectors: &[(&[&str], &str)] = &[
            (&["asdf"], "228d27cc-6fdb-5934-b7ac-1efccebade04"),
            (&["test"], "d6a5baf1-8b9b-542a-8525-2982f1f98a0c"),
            (&["hello"], "520f8434-fe3a-5d99-888d-450a827486a1"),
            (&["hello", "world"], "a5b868f8-11fe-567a-ace0-e77cc87f104e"),
            (&["world", "hello"], "b1db13b3-4ca6-5782-bf9e-8495c3532f9d"),
            (&["a", "b"], "2d796349-8c7e-55ec-9624-54ece82ed031"),
            (&["a", "b", "c"], "a98fa280-e03f-5afa-8d8e-92d0a9c201e8"),
            (&["test", "test2", "test3"], "43ca56fb-e844-5667-aabf-b316c27c09cc"),
            (&[group, "release"], "f0f6b02b-2cfe-5dee-953d-c17053547175"),
            (&[""], "e655a85f-3ab2-5e4a-9666-569aa72a5a10"),
        ];
        for (texts, expected) in vectors {
            assert_eq!(guid(texts.iter().copied()), *expected, "{texts:?}");
        }
    }
}
