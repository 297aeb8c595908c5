"""A certificate authority for tests, certificates that it signed, and TLS contexts of servers that use them."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

NEW = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def openssl(*arguments: str, cwd: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


def issue(folder: Path) -> None:
    """Write `ca.pem` and certificates with their keys: for this machine, for another one, and an expired one.

    An intermediate authority signs them. `here.pem` includes its certificate, `alone.pem` does not.
    """
    openssl("req", "-x509", *NEW, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Own", cwd=folder)
    for name, signer, extension, days in (
        ("between", "ca", "basicConstraints=critical,CA:TRUE", "2"),
        ("alone", "between", "subjectAltName=IP:127.0.0.1", "2"),
        ("elsewhere", "between", "subjectAltName=DNS:pets.example", "2"),
        ("expired", "between", "subjectAltName=IP:127.0.0.1", "-1"),
    ):
        (folder / f"{name}.ext").write_text(f"{extension}\n")
        openssl("req", *NEW, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=folder)
        sign = ("x509", "-req", "-in", f"{name}.csr", "-CA", f"{signer}.pem", "-CAkey", f"{signer}.key")
        extended = ("-days", days, "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.pem")
        openssl(*sign, *extended, cwd=folder)
    between = (folder / "between.pem").read_text()
    (folder / "here.pem").write_text((folder / "alone.pem").read_text() + between)
    (folder / "here.key").write_text((folder / "alone.key").read_text())
    for name in ("elsewhere", "expired"):
        (folder / f"{name}.pem").write_text((folder / f"{name}.pem").read_text() + between)


def showing(folder: Path, name: str) -> ssl.SSLContext:
    """The TLS context of a server that uses the named certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context
