"""Machines as tools/operations/INSTALL.md speaks of them, each in a folder of its own, for tests that run the commands of that document.

The commands are those of the document but for what a test may not have: paths begin in the machine's folder, ports are free ones, and what
needs root or another machine is a stand-in (`STAND_INS`). What systemd would run is taken from the units of the package.
"""
import os
import re
import signal
import subprocess
import textwrap
from pathlib import Path

from support.nats import PROGRAM as NATS
from support.program import WHENCE, clean_env

ROOT = Path(__file__).resolve().parents[3]
SYSTEMD = ROOT / "tools/packaging/systemd"
DOCUMENT = ROOT / "tools/operations/INSTALL.md"
# Each is a whole script; HERE is the machine's folder, NAME its name, HOSTS the folder of all machines.
STAND_INS = {
    "whence": 'WHENCE_URL=$(cat "$HERE/url" 2>/dev/null) exec "$WHENCE_PROGRAM" "$@"',
    "hostname": 'echo "$NAME"',
    "runuser": '[ "$1 $2 $3" = "-u whence --" ] || exit 9; shift 3; exec "$@"',
    "chown": '[ -e "$2" ]',
    # As `install -d -o USER -g GROUP -m MODE FOLDER`.
    "install": '[ $# = 8 ] && [ "$1" = -d ] || exit 9; mkdir -p -m "$7" "$8"',
    # The package of Whence brings settings and starts a server, as that of NATS does, which these tests start with their settings only.
    "apt": """[ "$1" = install ] || exit 9
shift
for each in "$@"; do case $each in
  ./whence_*) [ -e "$HERE/etc/whence/whence.conf" ] || { mkdir -p "$HERE/etc/whence" "$HERE/var/lib/whence"; cp "$HERE/whence.conf" "$HERE/etc/whence/"; systemctl start whence; } ;;
  nats-server|rsync) ;;
  *) echo "no package $each" >&2; exit 100 ;;
esac; done""",
    # As `rsync -a FROM root@HOST:TO`. Settings name paths of their machine, which are the same on real ones.
    "rsync": """[ $# = 3 ] && [ "$1" = -a ] || exit 9
host=${3#root@}; host=${host%%:*}; there=$HOSTS/$host
[ -d "$there" ] || { echo "no host $host" >&2; exit 12; }
to=$there${3#*:"$HERE"}
case $2 in
  */) mkdir -p "$to"; cp -a "$2." "$to" ;;
  *) cp -a "$2" "$to" ;;
esac
[ ! -e "$there/etc/whence/whence.conf" ] || sed -i "s,$HERE/,$there/,g" "$there/etc/whence/whence.conf\"""",
    "systemctl": """verb=$1; shift; [ "${1:-}" != --now ] || { shift; verb=stop; }
for unit in "$@"; do unit=${unit%.service}
  case $unit in whence|whence-backup|nats-server) ;; whence.socket|whence-bolt.socket|whence-backup.timer) continue ;; *) exit 5 ;; esac
  case $verb in stop|restart) if [ -e "$HERE/$unit.pid" ]; then
    kill "$(cat "$HERE/$unit.pid")"; flock "$HERE/$unit.runs" rm "$HERE/$unit.pid"; fi ;; esac
  case $verb in start|restart) "$HERE/units/$unit" || exit ;; stop) ;; *) exit 9 ;; esac
done""",
}
# A unit's process in the background. It holds a lock for as long as it is there, on which `systemctl stop` waits.
RUN = """exec 9>"$HERE/{unit}.runs"
flock -n 9 || exit 1
rm -f "$HERE/{unit}.says"; mkfifo "$HERE/{unit}.says"
setsid {command} >"$HERE/{unit}.says" 2>>"$HERE/{unit}.log" </dev/null &
echo $! >"$HERE/{unit}.pid"
"""
# Until it serves, as a unit of Type=notify.
UNTIL_IT_SERVES = """while read -r line; do case $line in
  "listening on "*) echo "${line#listening on }" >"$HERE/url" ;;
  "serving "*) exit 0 ;;
esac; done <"$HERE/whence.says"
rm "$HERE/whence.pid"; tail -n 5 "$HERE/whence.log" >&2; exit 1
"""


def steps(section):
    """(names of machines, commands) of each block of a section of the document that says where it is run."""
    text = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.S | re.M):
        block = textwrap.dedent(block)
        if where := re.match(r"# on (.*)\n", block):
            yield re.findall(r"\w+", where[1].replace(" and ", " ")), block


class Machine:
    """`folder` is that of all machines; `ports` says which port of which address another is here: {"n1:4222": "127.0.0.1:5000"}."""

    def __init__(self, folder, name, ports=None):
        self.here, self.name, self.ports = Path(folder) / name, name, {"127.0.0.1:7411": "127.0.0.1:0", **(ports or {})}
        for each in ("bin", "units", "etc", "var/lib"):
            (self.here / each).mkdir(parents=True)
        for command, script in STAND_INS.items():
            self._script(f"bin/{command}", script)
        self._script("units/whence", RUN.format(unit="whence", command=self._started_by("whence")[-1]) + UNTIL_IT_SERVES)
        self._script("units/whence-backup", "\n".join(["set -e", *self._started_by("whence-backup")]))
        self._script("units/nats-server", RUN.format(unit="nats-server", command=f'{NATS} -c "$HERE/etc/nats-server.conf"') +
                     'exec <"$HERE/nats-server.says"')
        made = subprocess.run([ROOT / "tools/packaging/settings", WHENCE], capture_output=True, text=True, check=True, env=clean_env())
        (self.here / "whence.conf").write_text(self.here_of(made.stdout))
        self.said = ""

    def _script(self, path, text):
        file = self.here / path
        file.write_text(f"#!/usr/bin/env bash\n{text}\n")
        file.chmod(0o755)

    def _started_by(self, unit):
        """The commands of the package's unit, with its variables set."""
        lines = (SYSTEMD / f"{unit}.service").read_text().splitlines()
        values = dict(word.split("=", 1) for line in lines if line.startswith("Environment=") for word in line[12:].split())
        commands = [line.partition("=")[2] for line in lines if line.startswith("ExecStart=")]
        return [self.here_of(re.sub(r"\$\{(\w+)\}", lambda name: values[name[1]], each)).replace("/usr/bin/whence", WHENCE) for each in commands]

    def here_of(self, text):
        """`text` with the paths and ports of this machine."""
        for there, here in self.ports.items():
            text = text.replace(there, here)
        return re.sub(r"(?<=[\s\"':=>])/(etc|var/lib)/", rf"{self.here}/\1/", text)

    def run(self, commands, check=True):
        """Runs commands as root's shell would, and stops at the first that fails. What they print is returned and kept in `said`."""
        env = clean_env(PATH=f"{self.here}/bin:{os.environ['PATH']}", HERE=str(self.here), NAME=self.name, HOSTS=str(self.here.parent),
                        WHENCE_PROGRAM=str(Path(WHENCE).resolve()))
        done = subprocess.run(["bash", "-ec", self.here_of(commands)], cwd=self.here, env=env, capture_output=True, text=True, timeout=120,
                              check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"on {self.name}, exit {done.returncode}:\n{commands}\n{done.stdout}{done.stderr}")
        self.said = done.stdout + done.stderr
        return done.stdout

    @property
    def url(self):
        return (self.here / "url").read_text().strip()

    def has(self, unit):
        """Whether the process of a unit runs."""
        return (self.here / f"{unit}.pid").exists()

    def close(self):
        for pid in self.here.glob("*.pid"):
            try:
                os.kill(int(pid.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass


def run_steps(section, machines):
    """Runs all blocks of a section, each on its machines, and yields after each its number, its machines and what they printed."""
    for number, (names, block) in enumerate(steps(section)):
        yield number, names, [machines[name].run(block) for name in names]
