"""A witness of a log, written from C2SP tlog-cosignature alone, that signs with OpenSSL's command."""
import base64
import hashlib
import subprocess
import tempfile
from pathlib import Path


class Witness:
    """An Ed25519 key that signs checkpoints with the time."""

    def __init__(self, name):
        self.folder = tempfile.TemporaryDirectory()  # goes with the witness
        self.path = Path(self.folder.name) / "key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path], check=True)
        public = subprocess.run(["openssl", "pkey", "-in", self.path, "-pubout", "-outform", "DER"], capture_output=True, check=True).stdout[-32:]
        self.name = name
        self.id = hashlib.sha256(name.encode() + b"\n\4" + public).digest()[:4]
        self.key = f"{name}+{self.id.hex()}+{base64.b64encode(bytes([4]) + public).decode()}"

    def sign(self, note, at):
        """The note with this witness's line."""
        text = note.split("\n\n")[0] + "\n"
        message = f"cosignature/v1\ntime {at}\n{text}".encode()
        paths = [self.path.with_name(each) for each in ("text", "signature")]
        paths[0].write_bytes(message)
        subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", self.path, "-rawin", "-in", paths[0], "-out", paths[1]], check=True)
        value = base64.b64encode(self.id + at.to_bytes(8, "big") + paths[1].read_bytes()).decode()
        return f"{note}\u2014 {self.name} {value}\n"

    def has_signed(self, note, at):
        """Whether the note has the line that this witness makes at that time: signatures of Ed25519 are always the same."""
        alone = note.split("\n\n")[0] + "\n\n"
        return self.sign(alone, at).removeprefix(alone) in note
