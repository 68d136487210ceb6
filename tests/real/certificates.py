"""Certificates with which the service must not sign, and one with which it may: files in the folder that is named.

usage: PYTHONPATH=inference python tests/real/certificates.py FOLDER
"""

import datetime
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID as Purpose
from provenance.certificate import name_of, usage

PEM = serialization.Encoding.PEM
NOW = datetime.datetime.now(datetime.timezone.utc)
YEAR = datetime.timedelta(days=365)


def write(folder: Path, name: str, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, **how: object) -> None:
    """how: `purpose` of the certificate, `own` for one that is its own issuer, `ended` for one of last year."""
    root_key = key if how.get("own") else ec.generate_private_key(ec.SECP256R1())
    subject, root = name_of(f"the {name} of the tests"), name_of("the root of the tests")
    last = NOW - YEAR if how.get("ended") else NOW + YEAR
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if how.get("own") else root)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(last - 3 * YEAR)
        .not_valid_after(last)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage(digital_signature=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), critical=False)
    )
    purpose = how.get("purpose", Purpose.EMAIL_PROTECTION)
    if isinstance(purpose, x509.ObjectIdentifier):
        made = made.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    plain = serialization.NoEncryption()
    (folder / f"{name}.crt").write_bytes(made.sign(root_key, hashes.SHA256()).public_bytes(PEM))
    (folder / f"{name}.key").write_bytes(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, plain))


def main() -> None:
    folder = Path(sys.argv[1])
    curve = ec.generate_private_key(ec.SECP384R1())
    write(folder, "operator", rsa.generate_private_key(65537, 2048))
    write(folder, "self-signed", curve, own=True)
    write(folder, "expired", curve, ended=True)
    write(folder, "web-server", curve, purpose=Purpose.SERVER_AUTH)
    write(folder, "purposeless", curve, purpose=None)


main()
