"""Timer: units and crontab lines for a nightly crawl, installed and removed again."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from corpus_spider.config.loader import load
from corpus_spider.monitoring import crontab, timer_plan
from corpus_spider.monitoring.crontab import cron_line
from corpus_spider.monitoring.systemd_units import service, timer, units
from corpus_spider.monitoring.timer import install, remove
from corpus_spider.monitoring.timer_plan import TimerPlan, own_variables, plan
from storage.errors import ConfigError
from tests.corpus_spider.running import PATIENCE, run

TOML = '[corpus]\nname = "news"\ncontact = "tests@example.org"\n[[site]]\nname = "a"\nstart = ["https://a.example/"]\n'
CRONTAB = """#!/bin/sh
test -z "$CRONTAB_FAILS" || { echo "permission denied" >&2; exit 1; }
if [ "$1" = -l ]; then
    test -f "$HOME/crontab" || { echo "no crontab for $USER" >&2; exit 1; }
    exec cat "$HOME/crontab"
fi
exec cat > "$HOME/crontab"
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
"""

SECRET = """postgresql://me:p"a$$w`o\\rd'%41@db.example/news"""


class Home:
    """A user's home with programs that only write down what they are asked."""

    def __init__(self, folder: Path, *programs: str) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        for name, text in (("crontab", CRONTAB), ("systemctl", SYSTEMCTL)):
            if name in programs:
                (self.bin / name).write_text(text)
                (self.bin / name).chmod(0o755)
        self.corpus = folder / "my corpus 100%"
        self.corpus.mkdir()
        (self.corpus / "corpus.toml").write_text(TOML)

    def schedule(self, *arguments: str, code: int = 0, **more: str) -> str:
        # Without the system's own crontab and systemctl on the path.
        for name in ("sh", "cat"):
            link = self.bin / name
            if not link.exists():
                link.symlink_to(f"/bin/{name}")
        # Variables of the machine that runs the tests do not belong to the schedule.
        environment = dict.fromkeys(dict(own_variables(os.environ)), "")
        environment |= {"HOME": str(self.folder), "PATH": str(self.bin), "XDG_CONFIG_HOME": ""} | more
        ended = run(self.corpus, "schedule", *arguments, **environment)
        assert ended.returncode == code, ended.stderr
        return ended.stdout + ended.stderr

    def lines(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    @property
    def units(self) -> list[str]:
        return sorted(path.name for path in (self.folder / ".config/systemd/user").glob("*"))


def planned(folder: str = "/srv/news", **changes: str) -> TimerPlan:
    command = ("/opt/bin/corpus-spider", "-q", "-c", f"{folder}/corpus.toml", "crawl")
    settings = {"how": "cron", "command": command, "folder": Path(folder), "name": "corpus-spider-news", "at": "02:15"}
    return TimerPlan(**settings | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("folder", "word"),
    [
        ("/srv/news", "/srv/news/corpus.toml"),
        ("/srv/my news", '"/srv/my news/corpus.toml"'),
        ("/srv/50%", '"/srv/50%%/corpus.toml"'),
        ('/srv/"$a\\b', '"/srv/\\"$$a\\\\b/corpus.toml"'),
    ],
)
def test_units_quote_paths_as_systemd_reads_them(folder: str, word: str) -> None:
    """Blanks, specifiers, variables, quotes and backslashes."""
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(service(planned(folder)))
    assert unit["Service"]["ExecStart"] == f"/opt/bin/corpus-spider -q -c {word} crawl"
    assert unit["Service"]["WorkingDirectory"] == folder.replace("%", "%%")
    assert unit["Service"]["Type"] == "oneshot"


def test_a_timer_catches_up_on_missed_nights() -> None:
    """Persistent, at the wanted local time."""
    assert "\nOnCalendar=*-*-* 23:05:00\nPersistent=true\n" in timer(planned(at="23:05"))


def test_a_crontab_line_survives_the_shell_and_cron() -> None:
    """Blanks are quoted, % is escaped, hours and minutes are plain numbers."""
    line = cron_line(planned("/srv/my 50% news", at="03:05"))
    assert line == (
        r"5 3 * * * /opt/bin/corpus-spider -q -c '/srv/my 50\% news/corpus.toml' crawl  # corpus-spider-news"
    )
    words = shlex.split(line.replace(r"\%", "%"), comments=True)
    assert words[5:] == list(planned("/srv/my 50% news").command)


def test_what_is_run_is_this_program_by_absolute_paths(tmp_path: Path) -> None:
    """Wherever it was started from; a path that no unit file can hold is refused."""
    (tmp_path / "corpus.toml").write_text(TOML)
    made = plan(load(tmp_path / "corpus.toml", environ={}), "02:15", "cron")
    assert made.command == (sys.executable, "-m", "corpus_spider", "-q", "-c", str(tmp_path / "corpus.toml"), "crawl")
    odd = tmp_path / "new\nline"
    odd.mkdir()
    (odd / "corpus.toml").write_text(TOML)
    with pytest.raises(ConfigError, match="control character"):
        plan(load(odd / "corpus.toml", environ={}), "02:15", "cron")


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
@pytest.mark.parametrize("rendered", [False, True])
def test_systemd_accepts_the_units_of_the_system_and_calls_them_safe(tmp_path: Path, rendered: bool) -> None:
    """Also with a folder whose name needs each kind of quoting. Exposure is 0 to 10, and less than 3 here."""
    folder = tmp_path / 'my "$HOME" 100% \\news'
    folder.mkdir()
    system = planned(
        str(folder),
        how="system",
        command=("/bin/true", "-c", f"{folder}/corpus.toml", "crawl"),
        user="daemon",
        writable=(tmp_path / "big disk",),
        rendered=rendered,
        variables=(("DATABASE_URL", SECRET),),
        environment=tmp_path / "news.env",
    )
    for name, text in units(system).items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in units(system)]
    verified = analyze("verify", "--man=no", *files)
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = analyze("security", "--offline=true", "--threshold=30", "--no-pager", files[0])
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert SECRET not in "".join(units(system).values())


def test_a_schedule_of_the_system_keeps_its_settings_where_only_root_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The units are enabled for the system, the variables have mode 600, and removing leaves nothing."""
    home = Home(tmp_path, "systemctl")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{home.bin}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    system = planned(how="system", user="nobody", variables=(("DATABASE_URL", SECRET),))
    system = replace(system, environment=tmp_path / "etc/news.env", unit_folder=tmp_path / "units")
    reported = install(system)
    assert not any(SECRET in line or "linger" in line for line in reported)
    assert system.environment.stat().st_mode & 0o777 == 0o600
    assert {path.name: path.read_text() for path in system.unit_folder.iterdir()} == units(system)
    assert home.lines("systemctl.log")[-2:] == ["daemon-reload", "enable --now corpus-spider-news.timer"]
    with pytest.raises(ConfigError, match=f"install -d -o nobody {tmp_path}/disk"):
        install(replace(system, writable=(tmp_path / "disk",)))
    remove(system)
    assert home.lines("systemctl.log")[-2:] == ["disable --now corpus-spider-news.timer", "daemon-reload"]
    assert [*system.unit_folder.iterdir(), *system.environment.parent.iterdir()] == []


def test_only_root_installs_units_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sudo would drop DATABASE_URL, so the advice names what it must keep."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    system = planned(how="system", user="nobody", variables=(("DATABASE_URL", SECRET), ("PGHOST", "db")))
    with pytest.raises(ConfigError, match="--preserve-env=DATABASE_URL,PGHOST"):
        install(system)


def test_a_crawl_of_the_system_runs_as_the_owner_of_its_folder_and_not_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may write to its folder and to those that the settings name elsewhere, and to nothing else."""
    text = TOML.replace("contact", f'warc = "{tmp_path}/big disk"\ncontact')
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "corpus.toml").write_text(text)
    monkeypatch.setattr(timer_plan, "owner", lambda _: "nobody")
    made = plan(load(folder / "corpus.toml", environ={}), "02:15", "system")
    lines = service(made).splitlines()
    assert "User=nobody" in lines
    assert f'ReadWritePaths={folder} "{tmp_path}/big disk"' in lines
    monkeypatch.undo()
    if folder.stat().st_uid == 0:
        with pytest.raises(ConfigError, match="useradd --system"):
            plan(load(folder / "corpus.toml", environ={}), "02:15", "system")


def test_settings_of_the_command_line_are_kept_in_a_private_file(tmp_path: Path) -> None:
    """A password given with --set was lost. It is in the private file, not in the crontab line."""
    home = Home(tmp_path, "crontab")
    given = (f"corpus.database={SECRET}", "crawl.page_limit=5")
    reported = home.schedule("-s", given[0], "--set", given[1], "--install")
    file = tmp_path / ".config/corpus-spider/corpus-spider-news.env"
    script = (
        f"set -a; . '{file}'; printf '%s|%s' \"$CORPUS_SPIDER_CORPUS_DATABASE\" \"$CORPUS_SPIDER_CRAWL_PAGE_LIMIT\""
    )
    read = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True, env={})
    assert tuple(read.stdout.split("|")) == (SECRET, "5")
    assert SECRET not in reported + "".join(home.lines("crontab"))


def test_who_has_lingering_gets_no_hint_at_it(tmp_path: Path) -> None:
    """The hint is for those whose timer would stop when they log out."""
    home = Home(tmp_path, "systemctl")
    assert "loginctl enable-linger" in home.schedule("--install")
    (home.bin / "loginctl").write_text("#!/bin/sh\necho Linger=yes\n")
    (home.bin / "loginctl").chmod(0o755)
    assert "enable-linger" not in home.schedule("--install")


@pytest.mark.parametrize(
    "both", [("--cron", "--systemd"), ("--system", "--cron"), ("--systemd", "--system"), ("--install", "--remove")]
)
def test_schedulers_exclude_each_other(tmp_path: Path, both: tuple[str, str]) -> None:
    """Two of them are a wrong command line: neither wins."""
    home = Home(tmp_path, "crontab", "systemctl")
    assert "exclude each other" in home.schedule(*both, code=2)


def test_without_install_nothing_is_written(tmp_path: Path) -> None:
    """What would be installed is printed, the units with their paths."""
    home = Home(tmp_path, "crontab", "systemctl")
    reported = home.schedule("--at", "04:00")
    assert f"# {tmp_path}/.config/systemd/user/corpus-spider-news.timer" in reported
    assert "OnCalendar=*-*-* 04:00:00" in reported
    assert home.schedule("--cron").startswith("15 2 * * * ")
    assert home.schedule("--install", "--dry-run") == home.schedule()
    assert (home.units, home.lines("crontab")) == ([], [])


def test_systemd_units_are_written_and_enabled_and_taken_away(tmp_path: Path) -> None:
    """Twice is as once; a schedule by cron is replaced; removal leaves nothing."""
    home = Home(tmp_path, "crontab", "systemctl")
    (tmp_path / "crontab").write_text("0 1 * * * backup\n")
    home.schedule("--install", "--cron")
    assert len(home.lines("crontab")) == 2
    for _ in range(2):
        reported = home.schedule("--install")
        assert "enable-linger" in reported
    assert home.units == ["corpus-spider-news.service", "corpus-spider-news.timer"]
    assert home.lines("systemctl.log")[-2:] == ["--user daemon-reload", "--user enable --now corpus-spider-news.timer"]
    assert home.lines("crontab") == ["0 1 * * * backup"]
    home.schedule("--remove")
    assert home.units == []
    assert "--user disable --now corpus-spider-news.timer" in home.lines("systemctl.log")
    assert "Nothing was scheduled" in home.schedule("--remove")


def test_a_crontab_line_is_added_once_and_others_are_kept(tmp_path: Path) -> None:
    """Where there is no systemd; a new time replaces the old one, which stays without --at."""
    home = Home(tmp_path, "crontab")
    home.schedule("--install")
    (tmp_path / "crontab").write_text("MAILTO=me\n" + (tmp_path / "crontab").read_text())
    home.schedule("--install", "--at", "05:30")
    mailto, line = home.lines("crontab")
    assert (mailto, line.split()[:2]) == ("MAILTO=me", ["30", "5"])
    home.schedule("--install")
    assert home.lines("crontab") == [mailto, line]
    home.schedule("--remove")
    assert home.lines("crontab") == ["MAILTO=me"]


def test_two_schedules_that_are_installed_at_once_are_both_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second waits for the first: what it had read would not have its line."""
    home = Home(tmp_path, "crontab")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{home.bin}:{os.environ['PATH']}")
    first, second = planned(), planned(name="corpus-spider-other")
    other, write = threading.Thread(target=install, args=(second,)), crontab._write_crontab

    def written(lines: list[str]) -> None:
        if other.ident is None:
            other.start()
            # Long enough for it to be done, did it not wait.
            other.join(1)
        write(lines)

    monkeypatch.setattr(crontab, "_write_crontab", written)
    install(first)
    other.join(PATIENCE)
    assert home.lines("crontab") == [cron_line(first), cron_line(second)]


def test_other_lines_of_a_crontab_are_kept_to_the_byte(tmp_path: Path) -> None:
    """A form feed in a comment parted its line, and one in Latin-1 was an internal error."""
    home, others = Home(tmp_path, "crontab"), b"# caf\xe9\x0cau lait \xe2\x80\xa8\r\n\n0 1 * * * backup\n"
    (tmp_path / "crontab").write_bytes(others)
    home.schedule("--install")
    assert (tmp_path / "crontab").read_bytes().startswith(others + b"15 2 * * * ")
    home.schedule("--remove")
    assert (tmp_path / "crontab").read_bytes() == others


def test_a_crontab_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    """Exit code 3, and the lines are still there."""
    home = Home(tmp_path, "crontab")
    (tmp_path / "crontab").write_text("0 1 * * * backup\n")
    assert "permission denied" in home.schedule("--install", code=3, CRONTAB_FAILS="1")
    assert home.lines("crontab") == ["0 1 * * * backup"]


def test_another_corpus_of_the_same_name_is_not_replaced(tmp_path: Path) -> None:
    """Exit code 2, with what to do."""
    home = Home(tmp_path, "systemctl")
    home.schedule("--install")
    home.corpus = tmp_path / "other"
    home.corpus.mkdir()
    (home.corpus / "corpus.toml").write_text(TOML)
    assert "another name: corpus.name" in home.schedule("--install", code=2)


@pytest.mark.parametrize("verb", ["--install", "--remove"])
def test_nor_is_the_crontab_line_of_another_corpus_of_the_same_name(tmp_path: Path, verb: str) -> None:
    """It would not be crawled any more, without a message."""
    home = Home(tmp_path, "crontab")
    line = cron_line(planned("/srv/another", name="corpus-spider-news"))
    (tmp_path / "crontab").write_text(f"{line}\n")
    assert "another name: corpus.name" in home.schedule(verb, code=2)
    assert home.lines("crontab") == [line]


@pytest.mark.parametrize("how", ["--systemd", "--cron"])
def test_the_settings_of_the_environment_are_kept_in_a_private_file(tmp_path: Path, how: str) -> None:
    """A shell reads the same values from it; nothing shows them; removing the schedule removes it."""
    home = Home(tmp_path, "crontab", "systemctl")
    given = {"DATABASE_URL": SECRET, "CORPUS_SPIDER_CRAWL_DELAY": "5", "https_proxy": "http://proxy.example:3128"}
    file = tmp_path / ".config/corpus-spider/corpus-spider-news.env"
    shown = home.schedule(how, **given)
    assert "CORPUS_SPIDER_CRAWL_DELAY, DATABASE_URL, https_proxy" in shown
    assert not file.exists()
    shown += home.schedule(how, "--install", **given)
    assert SECRET not in shown
    assert file.stat().st_mode & 0o777 == 0o600
    script = f'set -a; . \'{file}\'; printf \'%s|%s|%s\' "$DATABASE_URL" "$CORPUS_SPIDER_CRAWL_DELAY" "$https_proxy"'
    read = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True, env={})
    assert tuple(read.stdout.split("|")) == (SECRET, "5", "http://proxy.example:3128")
    installed = home.lines("crontab") or home.lines(".config/systemd/user/corpus-spider-news.service")
    assert any(f"set -a; . {file}; " in line or line == f"EnvironmentFile={file}" for line in installed)
    home.schedule("--remove", **given)
    assert not file.exists()


def test_a_schedule_is_not_installed_without_a_setting_that_it_had(tmp_path: Path) -> None:
    """A shell in which DATABASE_URL is not set would have sent the timer to another, empty database."""
    home = Home(tmp_path, "crontab")
    home.schedule("--install", DATABASE_URL=SECRET)
    before = home.lines("crontab")
    assert "DATABASE_URL" in home.schedule("--at", "04:00", "--install", code=2, DATABASE_URL="")
    assert home.lines("crontab") == before
    home.schedule("--at", "04:00", "--install", DATABASE_URL=SECRET)
    assert home.lines("crontab")[0].startswith("0 4 ")


def test_a_file_that_others_can_read_gets_no_password(tmp_path: Path) -> None:
    """The schedule refuses, and says how to close it."""
    home = Home(tmp_path, "crontab")
    home.schedule("--install", DATABASE_URL="sqlite:///other.db")
    file = tmp_path / ".config/corpus-spider/corpus-spider-news.env"
    file.chmod(0o644)
    assert f"chmod 600 {file}" in home.schedule("--install", code=2, DATABASE_URL=SECRET)
    assert SECRET not in file.read_text()
