"""Time stamp authorities (RFC 3161) for tests: `openssl ts` with certificates of two roots, behind a local server."""

from __future__ import annotations

import subprocess
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tests.support.certificates import NEW, openssl
from tests.support.peers import Caller, Peer, peer
from tests.support.programs import program

REPLY = b"Content-Type: application/timestamp-reply\r\n"
_CONFIG = """
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:TRUE
[authority]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = one
[one]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256, sha384, sha512
"""


@dataclass(frozen=True)
class Authority:
    """The authorities `one` and `expired` of the root in `root.pem`, and `stranger` of that in `other.pem`."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def query(self, file: Path, *options: str) -> bytes:
        """What asks for the time of a file, as an operator would with openssl."""
        openssl("ts", "-query", "-data", str(file), "-sha256", *options, "-out", "query", cwd=self.folder)
        return (self.folder / "query").read_bytes()

    def response(self, query: bytes, name: str = "one", *options: str) -> bytes:
        """The response of the named authority to a query."""
        (self.folder / "query").write_bytes(query)
        keys = ("-signer", f"{name}.pem", "-inkey", f"{name}.key")
        ask = ("ts", "-reply", "-queryfile", "query", "-config", "config", *keys, *options, "-out", "response")
        openssl(*ask, cwd=self.folder)
        return (self.folder / "response").read_bytes()

    def response_with_two_names(self, query: bytes) -> bytes:
        """A response of `one` with a second certificate, of anybody, that has its issuer and its number."""
        serial = subprocess.check_output(["openssl", "x509", "-in", "one.pem", "-noout", "-serial"], cwd=self.folder)
        number, subject = f"0x{serial.decode().strip().partition('=')[2]}", "/O=Notary/CN=The Supreme Court of the Land"
        openssl("req", "-x509", *NEW, "-keyout", "own.key", "-out", "own.pem", "-subj", "/CN=root", cwd=self.folder)
        openssl("req", *NEW, "-keyout", "false.key", "-out", "false.csr", "-subj", subject, cwd=self.folder)
        by = ("-CA", "own.pem", "-CAkey", "own.key", "-set_serial", number, "-days", "2")
        extended = ("-extfile", "config", "-extensions", "authority", "-out", "false.pem")
        openssl("x509", "-req", "-in", "false.csr", *by, *extended, cwd=self.folder)
        return self.response(query, "one", "-chain", "false.pem")

    def dates(self, folder: Path, name: str = "one", *options: str) -> None:
        """Put a response on a folder's manifest into the folder."""
        query = self.query((folder / "manifest.json").resolve(), *(options or ("-cert",)))
        (folder / "manifest.tsr").write_bytes(self.response(query, name))

    def serving(self) -> AbstractContextManager[Peer]:
        """A server that answers as the authority `one`; the URL to post to is that of the peer."""
        return peer(lambda caller: caller.answer(self.response(caller.body), headers=REPLY))

    def accepts(self, response: Path, file: Path) -> bool:
        """Whether openssl says that the root vouches for a response on a file."""
        command = ["openssl", "ts", "-verify", "-in", str(response), "-data", str(file), "-CAfile", str(self.root)]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


def authority(folder: Path) -> Authority:
    """Two roots and three authorities in a folder; skips the test without openssl."""
    program("openssl")
    (folder / "config").write_text(_CONFIG)
    (folder / "serial").write_text("01\n")
    for name in ("root", "other"):
        issued = ("-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-subj", f"/CN={name}")
        openssl("req", "-x509", *NEW, *issued, "-config", "config", "-extensions", "root", cwd=folder)
    for name, root, days in (("one", "root", "2"), ("expired", "root", "-1"), ("stranger", "other", "2")):
        subject = ("-subj", f"/O=Notary/CN=Authority {name}", "-config", "config")
        openssl("req", *NEW, "-keyout", f"{name}.key", "-out", f"{name}.csr", *subject, cwd=folder)
        by = ("-CA", f"{root}.pem", "-CAkey", f"{root}.key", "-CAcreateserial", "-days", days)
        extended = ("-extfile", "config", "-extensions", "authority", "-out", f"{name}.pem")
        openssl("x509", "-req", "-in", f"{name}.csr", *by, *extended, cwd=folder)
    return Authority(folder)


def refusing(caller: Caller) -> None:
    """A response that grants no time: PKIStatusInfo with status 2, rejection."""
    caller.answer(REFUSAL, headers=REPLY)


REFUSAL = bytes.fromhex("30053003020102")
