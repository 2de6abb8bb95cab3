//! Signatures of tokens, checked by the cryptography that TLS uses anyway.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use signature::Verifier;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    verifier_factory: verifier,
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| Err(Error::from(ErrorKind::InvalidAlgorithm)),
        rsa_pub_components_from_public_key: |_| Err(Error::from(ErrorKind::InvalidAlgorithm)),
        ec_pub_components_from_private_key: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
        ed_pub_components_from_private_key: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
        compute_digest: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    },
};

/// Lets the reader of tokens use it.
pub(super) fn install() {
    // Only the first call does something; it is the same one each time.
    let _ = PROVIDER.install_default();
}

/// How an algorithm is checked.
#[derive(Clone, Copy)]
enum Scheme {
    Rsa(&'static RsaParameters),
    Point(&'static dyn VerificationAlgorithm),
}

/// The schemes, one row for each algorithm; none for those that are not accepted.
fn scheme(algorithm: Algorithm) -> Option<(AlgorithmFamily, Scheme)> {
    use AlgorithmFamily::{Ec, Ed, Rsa};
    Some(match algorithm {
        Algorithm::RS256 => (Rsa, Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA256)),
        Algorithm::RS384 => (Rsa, Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA384)),
        Algorithm::RS512 => (Rsa, Scheme::Rsa(&RSA_PKCS1_2048_8192_SHA512)),
        Algorithm::PS256 => (Rsa, Scheme::Rsa(&RSA_PSS_2048_8192_SHA256)),
        Algorithm::PS384 => (Rsa, Scheme::Rsa(&RSA_PSS_2048_8192_SHA384)),
        Algorithm::PS512 => (Rsa, Scheme::Rsa(&RSA_PSS_2048_8192_SHA512)),
        Algorithm::ES256 => (Ec, Scheme::Point(&ECDSA_P256_SHA256_FIXED)),
        Algorithm::ES384 => (Ec, Scheme::Point(&ECDSA_P384_SHA384_FIXED)),
        Algorithm::EdDSA => (Ed, Scheme::Point(&ED25519)),
        // Shared secrets, and what others may add: nothing is accepted that is not named.
        _ => return None,
    })
}

struct VerificationKey {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKey,
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match scheme(*algorithm) {
        Some((family, scheme)) if family == key.family() => {
            Ok(Box::new(VerificationKey { algorithm: *algorithm, scheme, key: key.clone() }))
        }
        Some(_) | None => Err(Error::from(ErrorKind::InvalidAlgorithm)),
    }
}

impl Verifier<Vec<u8>> for VerificationKey {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let holds = match (self.scheme, self.key.kind()) {
            (Scheme::Rsa(scheme), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(scheme, message, signature)
            }
            (Scheme::Point(scheme), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(scheme, point).verify(message, signature)
            }
            (Scheme::Rsa(_), DecodingKeyKind::SecretOrDer(_))
            | (Scheme::Point(_), DecodingKeyKind::RsaModulusExponent { .. }) => {
                return Err(signature::Error::new());
            }
        };
        holds.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for VerificationKey {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
