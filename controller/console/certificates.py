"""A certificate of one's own: for a console that tablets reach, where nobody else gives one.

An authority is made once and signs the console's certificate. Tablets trust the authority; so the
certificate can be made anew, under another name or when it is too old, without going round again.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.rules.faults import Refused

AUTHORITY, AUTHORITY_KEY = "authority.pem", "authority.key"
CERTIFICATE, KEY = "console.pem", "console.key"
#: Browsers take none that is valid for longer.
DAYS = 397
AUTHORITY_DAYS = 3650
_LONGEST_NAME = 253


class Made(NamedTuple):
    authority: Path
    certificate: Path
    key: Path
    #: SHA-256 of the authority's certificate, as a tablet shows it.
    fingerprint: str
    until: datetime.date
    #: Whether the authority was made just now: then no tablet trusts it yet.
    is_new: bool


def make(folder: Path, names: Sequence[str], now: datetime.datetime) -> Made:
    """A certificate for these names and addresses; the authority that is there signs it."""
    alternative = x509.SubjectAlternativeName(list(_named(names)))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_new = not (folder / AUTHORITY).exists()
        authority, authority_key = _authority(folder, now) if is_new else _read(folder)
        key = ec.generate_private_key(ec.SECP256R1())
        made = (
            _builder(names[0], now, DAYS)
            .issuer_name(authority.subject)
            .public_key(key.public_key())
            .add_extension(alternative, critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(authority_key, hashes.SHA256())
        )
        _put(folder / KEY, _private(key), 0o600)
        _put(folder / CERTIFICATE, _public(made) + _public(authority), 0o644)
    except OSError as error:
        raise Refused(str(folder), f"can't be written: {error.strerror}") from None
    return Made(
        folder / AUTHORITY,
        folder / CERTIFICATE,
        folder / KEY,
        authority.fingerprint(hashes.SHA256()).hex(":").upper(),
        made.not_valid_after_utc.date(),
        is_new,
    )


def _named(names: Sequence[str]) -> Iterator[x509.GeneralName]:
    for name in names:
        try:
            yield x509.IPAddress(ip_address(name))
            continue
        except ValueError:
            pass
        allowed = all(part and part.replace("-", "").isalnum() for part in name.split("."))
        if not name.isascii() or not allowed or len(name) > _LONGEST_NAME:
            raise Refused(
                "NAME", f"{name!r} is no name of a PC and no address", "as tablets say it"
            )
        yield x509.DNSName(name.lower())


def _authority(
    folder: Path, now: datetime.datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder("felt console authority", now, AUTHORITY_DAYS)
    made = (
        builder.issuer_name(_subject("felt console authority"))
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=False,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                key_cert_sign=True,
                crl_sign=True,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
        .sign(key, hashes.SHA256())
    )
    _put(folder / AUTHORITY_KEY, _private(key), 0o600)
    _put(folder / AUTHORITY, _public(made), 0o644)
    return made, key


def _read(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    try:
        made = x509.load_pem_x509_certificate((folder / AUTHORITY).read_bytes())
        key = serialization.load_pem_private_key((folder / AUTHORITY_KEY).read_bytes(), None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or made.public_key() != key.public_key():
        problem = "is no authority that was made here"
        raise Refused(str(folder / AUTHORITY), problem, "move it and its key away")
    return made, key


def _builder(name: str, now: datetime.datetime, days: int) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_subject(name))
        .serial_number(x509.random_serial_number())
        # A tablet's clock may be behind a little.
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=days - 1))
    )


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _public(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _put(file: Path, data: bytes, mode: int) -> None:
    """Whole or not at all, and never open to others before it is closed to them."""
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as opened:
        opened.write(data)
        os.fchmod(opened.fileno(), mode)
    part.replace(file)
