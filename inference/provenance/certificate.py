"""Who signs: a certificate chain with its private key, the operator's or one that is made for development.

C2PA asks for a certificate that is not its own issuer, for a purpose that it knows (extended key usage), and that may sign
(C2PA specification 2.2, section 14.5.1).
"""

import contextlib
import datetime
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .error import ProvenanceError

ORGANISATION = "enhance (development)"
LIFETIME = datetime.timedelta(days=3650)
CLOCKS_DIFFER = datetime.timedelta(days=1)
"""A machine whose clock is late must not take a new certificate for one of tomorrow."""
CURVES = {"secp256r1": "es256", "secp384r1": "es384", "secp521r1": "es512"}
RSA_LEAST_BITS = 2048


@dataclass(frozen=True)
class Identity:
    """certificate: the chain as PEM, the signer's own first. key: its private key as PEM, not encrypted."""

    certificate: str
    key: str

    def as_texts(self) -> dict[str, str]:
        return {"certificate": self.certificate, "key": self.key}


def algorithm_of(identity: Identity) -> str:
    """C2PA's name of the algorithm that the key is for. Raises ProvenanceError where certificate and key cannot sign now."""
    try:
        leaf = x509.load_pem_x509_certificates(identity.certificate.encode())[0]
    except ValueError as error:
        raise ProvenanceError(f"the certificate is no PEM certificate: {error}") from error
    try:
        key = serialization.load_pem_private_key(identity.key.encode(), None)
    except (ValueError, TypeError) as error:
        raise ProvenanceError(f"the private key is no PEM key without a passphrase: {error}") from error
    if spki(key.public_key()) != spki(leaf.public_key()):
        raise ProvenanceError("the private key is not that of the first certificate of the chain")
    if leaf.issuer == leaf.subject:
        raise ProvenanceError("the certificate is its own issuer; expected one that a certificate authority issued")
    now = datetime.datetime.now(datetime.timezone.utc)
    if not leaf.not_valid_before_utc <= now <= leaf.not_valid_after_utc:
        first, last = (f"{time:%Y-%m-%d}" for time in (leaf.not_valid_before_utc, leaf.not_valid_after_utc))
        raise ProvenanceError(f"the certificate is valid from {first} to {last}, not now")
    match key:
        case ec.EllipticCurvePrivateKey() if key.curve.name in CURVES:
            return CURVES[key.curve.name]
        case rsa.RSAPrivateKey() if key.key_size >= RSA_LEAST_BITS:
            return "ps256"
        case ed25519.Ed25519PrivateKey():
            return "ed25519"
    raise ProvenanceError(f"expected a key on P-256, P-384, P-521 or Ed25519, or RSA of at least {RSA_LEAST_BITS} bits")


def spki(key: object) -> bytes:
    """Comparable form of a public key."""
    if not hasattr(key, "public_bytes"):
        raise ProvenanceError("the certificate has a key of an unknown kind")
    encoded = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return bytes(encoded)


def development(folder: Path) -> Identity:
    """The identity kept in `folder`; made when there is none. `root.pem` beside it is what readers may be told to trust.

    Several processes may ask at once: the folder appears whole, and the first one stays.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for name, text in made().items():
            (aside / name).touch(mode=0o600)
            (aside / name).write_text(text)
        with contextlib.suppress(OSError):
            aside.rename(folder)
        shutil.rmtree(aside, ignore_errors=True)
    return Identity((folder / "certificate.pem").read_text(), (folder / "key.pem").read_text())


def made() -> dict[str, str]:
    """A root and a certificate that it issued: files by name. The root's key is forgotten, so it issues no other."""
    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root_name = name_of("enhance development root")
    root = (
        builder(root_name, root_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage(key_cert_sign=True), critical=True)
        .sign(root_key, hashes.SHA256())
    )
    leaf = (
        builder(name_of("enhance development certificate"), key.public_key(), issuer=root_name)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), critical=False)
        .sign(root_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {
        "certificate.pem": leaf.public_bytes(pem).decode(),
        "key.pem": plain.decode(),
        "root.pem": root.public_bytes(pem).decode(),
    }


def name_of(common: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANISATION), x509.NameAttribute(NameOID.COMMON_NAME, common)]
    )


def builder(subject: x509.Name, key: ec.EllipticCurvePublicKey, issuer: x509.Name | None = None) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_DIFFER)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def usage(digital_signature: bool = False, key_cert_sign: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=key_cert_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
