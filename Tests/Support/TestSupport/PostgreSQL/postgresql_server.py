"""A PostgreSQL server of its own, in a temporary folder and on a free port, from the programs of Debian's package postgresql.

As a program it prints the port, and ends when its standard input does. With --secure it takes only passwords, over TLS, and prints where its certificate
is, too. `initdb` refuses root: then the server belongs to the user postgres, or nobody.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

USER, PASSWORD = "cuelight", "only-for-tests"


def programs():
    """The folder of the server's programs; None where there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    path = shutil.which("initdb")
    return Path(path).resolve().parent if path else None


def owner():
    """Who the server belongs to where root starts it."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise SystemExit("there is neither a user postgres nor nobody")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A cluster in a folder. `settings` are those of postgresql.conf."""

    def __init__(self, folder=None, port=None, settings=None):
        self.folder = Path(folder or tempfile.mkdtemp(prefix="cuelight-postgresql-"))
        self.port = port or free_port()
        self.settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "200", "log_min_messages": "warning",
                         **(settings or {})}
        self.user = owner()
        self.process = None
        self.data = self.folder / "data"

    def run(self, name, *arguments, check=True):
        return subprocess.run([str(programs() / name), *map(str, arguments)], check=check, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              **self.as_owner())

    def as_owner(self):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        if not self.user:
            return {"env": environment, "cwd": self.folder}
        return {"env": environment, "cwd": self.folder, "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def prepare(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def create(self):
        self.prepare()
        self.run("initdb", "-D", self.data, "-U", USER, "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write("host replication all 127.0.0.1/32 trust\n")

    def copy(self, other):
        """Makes this cluster a standby of another one that runs."""
        self.prepare()
        self.run("pg_basebackup", "-D", self.data, "-d", f"host=127.0.0.1 port={other.port} user={USER} application_name=standby", "-R", "-X", "stream",
                 "-c", "fast")

    def start(self):
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        log = open(self.folder / "log", "a")
        # A group of its own: an interruption of the terminal is not meant for it.
        self.process = subprocess.Popen([str(programs() / "postgres"), "-D", str(self.data), "-p", str(self.port), *options],
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **self.as_owner())
        self.wait()

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while self.run("pg_isready", "-q", "-h", "127.0.0.1", "-p", self.port, check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"PostgreSQL has not started: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """Ends it as a loss of power does: nothing is written any more, by any of its processes."""
        if self.process and self.process.poll() is None:
            # It starts no other one meanwhile.
            self.process.send_signal(signal.SIGSTOP)
            for child in self.children():
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.kill()
            self.process.wait()

    def children(self):
        """The server's processes beside the first one."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                # It has ended.
                continue
            if int(fields[1]) == self.process.pid:
                found.append(int(path.parent.name))
        return found

    def processor_time(self):
        """The seconds of a processor that its processes have taken, with those that have ended."""
        ticks = 0
        for number in [self.process.pid, *self.children()]:
            try:
                fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks += sum(map(int, fields[11:13])) + (sum(map(int, fields[13:15])) if number == self.process.pid else 0)
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self, how=signal.SIGINT):
        """Ends it: SIGINT writes everything, SIGQUIT nothing."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

    def secure(self):
        """Makes a certificate for this server, which speaks TLS and wants the password from now on; returns where it is."""
        certificate, key = self.folder / "server.crt", self.folder / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True, **self.as_owner())
        key.chmod(0o600)
        self.sql(f"ALTER USER {USER} PASSWORD '{PASSWORD}'")
        (self.data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
        for name, value in (("ssl_cert_file", certificate), ("ssl_key_file", key), ("ssl", "on")):
            self.sql(f"ALTER SYSTEM SET {name} = '{value}'")
        self.sql("SELECT pg_reload_conf()")
        # Others may read the certificate, which nobody has to hide.
        self.folder.chmod(0o755)
        return certificate

    def promote(self):
        self.run("pg_ctl", "promote", "-D", self.data, "-w")

    def sql(self, text, database="postgres"):
        found = subprocess.run([str(programs() / "psql"), "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", database, "-c", text],
                               capture_output=True, text=True, check=True)
        return found.stdout.strip()

    def remove(self):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if not programs():
        raise SystemExit("there is no PostgreSQL")
    # Nothing of it is to outlive the machine's power.
    server = Server(settings={"fsync": "off", "full_page_writes": "off"})
    try:
        server.create()
        server.start()
        print(server.port, *([server.secure()] if "--secure" in sys.argv else []), flush=True)
        sys.stdin.read()
    finally:
        server.remove()


if __name__ == "__main__":
    main()
