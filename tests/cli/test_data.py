"""`braino data` from the shell: every command with and without ``--json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Done, Inside
from tests.datasets import small_bids, tiny

Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A registry folder and a mirror with what it pins."""
    small_bids.entry(tmp_path / "entries" / "datasets")
    small_bids.write(tmp_path / "mirror")
    return tmp_path


@pytest.fixture
def data(home: Path, inside: Inside) -> Run:
    """Run ``braino data …`` with that registry, on a cache of its own."""

    def run(*arguments: str, **environ: str) -> Done:
        env = {
            "BRAINO_REGISTRY": str(home / "entries"),
            "BRAINO_MIRRORS": str(home / "mirror"),
            "BRAINO_DATA": str(home / "cache"),
            **environ,
        }
        return inside("data", *arguments, **env)

    return run


def _json(done: Done, code: int = 0) -> Any:
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_from_a_name_to_a_tree_and_back(data: Run) -> None:
    assert data("path", "small-bids").returncode == 3
    plan = _json(data("fetch", "small-bids", "--dry-run", "--json", BRAINO_MIRRORS=""))
    assert set(plan["files"]) == set(small_bids.used())
    assert plan["bytes"] == sum(map(len, small_bids.used().values()))
    assert plan["disk_free"] > plan["disk_needed"] >= 2 * plan["bytes"]
    report = _json(data("fetch", "small-bids", "--json"))
    assert report["verified"] is True
    path = data("path", "small-bids")
    assert (path.stdout, path.stderr) == (f"{report['bids']}\n", "")
    assert _json(data("path", "small-bids", "--json"))["bids"] == report["bids"]
    found = _json(data("verify", "small-bids", "--deep", "--json"))
    assert (found["ok"], found["deep"], found["repaired"]) == (True, True, [])
    rows = {row["id"]: row for row in _json(data("list", "--json"))}
    assert rows["small-bids"]["built"] is True
    info = _json(data("info", "small-bids@1.0.0", "--json"))
    assert len(info["recordings"]) == 6
    assert "small-bids" in data("list").stdout
    said = data("info", "small-bids").stdout
    assert f"licence: {info['licence_details']['spdx']}. " in said
    assert f"  conflict: {info['licence_details']['conflicts'][0]['says']}" in said
    assert f"  {info['defects'][0]['about']} {info['defects'][0]['effect']}" in said
    assert f"  {info['mirrors'][0]['name']}: {tiny.BASE}" in said
    assert all(f"  {work['text']}" in said for work in info["citation"])
    assert "{" not in said


def test_a_part_is_fetched_and_named(data: Run) -> None:
    one = ("--bids-subject", "001", "--bids-task", "rest")
    done = data("fetch", "small-bids", *one)
    assert done.returncode == 0, done.stderr
    root = Path(done.stdout.strip())
    assert {path.name for path in root.rglob("*_eeg.set")} == {"sub-001_task-rest_eeg.set"}
    assert data("path", "small-bids", *one).stdout.strip() == str(root)
    assert data("path", "small-bids").returncode == 3
    assert data("verify", "small-bids", *one).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("info", "smal-bids"), 2, "Did you mean 'small-bids@1.0.0'?"),
        (("info", "egmmi"), 2, "Did you mean 'eegmmi@1.0.0'?"),
        (("fetch", "small-bids", "--bids-subject", "9"), 2, "--bids-subject"),
        (("path", "deap"), 3, "Apply for it at https://www.eecs.qmul.ac.uk/mmv/datasets/deap/"),
        (("verify", "deap"), 3, "braino data verify deap --path DIR"),
        (("fetch", "hmc", "--dry-run"), 3, "Get it yourself at https://physionet.org/"),
        (("path", "eegmmi"), 3, "Fetch it with: braino data fetch eegmmi"),
        (("fetch", "small-bids@3.0.0"), 2, "Did you mean 'small-bids@1.0.0'?"),
        (("fetch", "small-bids", "--bids-subject", "1"), 2, "Did you mean '001'?"),
        (("build", "small-bids", "--bids-task", "p3"), 2, "Did you mean 'P3'?"),
        (("path", "small-bids", "--bids-run", "1"), 2, "has no bids_run '1'"),
        (("verify", "small-bids"), 3, "braino data build small-bids"),
        (("export", "two-subject-rest", "x.tar"), 2, "is synthetic"),
        (("import", "nowhere.tar"), 2, "the bundle does not exist"),
        (("import", "tests"), 2, "the bundle is no file"),
    ],
)
def test_errors_say_what_was_meant(
    data: Run, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = data(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3
    document = json.loads(data(*arguments, "--json").stderr)
    assert said in " ".join(document["error"].values())


def test_a_fetch_tells_what_was_here_and_where(data: Run, home: Path) -> None:
    count = len(small_bids.used())
    first = data("fetch", "small-bids")
    assert f"0 files fetched, 0 B; {count} files were on this machine: " in first.stderr
    assert f"{count} in {home / 'mirror'}" in first.stderr
    files = _json(data("fetch", "small-bids", "--no-build", "--json"))
    assert files["here"] == {str(home / "mirror"): count}


def test_what_is_built_needs_no_network_to_be_fetched_again(data: Run, home: Path) -> None:
    # The mirror is gone, as on the next day, and the cache holds no file but the tree.
    first = _json(data("fetch", "small-bids", "--json"))
    assert first["built_before"] is False
    gone = {"BRAINO_MIRRORS": "", "BRAINO_OFFLINE": "1"}
    again = data("fetch", "small-bids", **gone)
    assert (again.returncode, again.stdout) == (0, f"{first['bids']}\n")
    assert again.stderr == "small-bids@1.0.0: already here\n"
    plan = _json(data("fetch", "small-bids", "--dry-run", "--json", **gone))
    assert (plan["files"], plan["bytes"], plan["bids"]) == ([], 0, first["bids"])
    assert "0 files to fetch" in data("fetch", "small-bids", "--dry-run", **gone).stdout
    # Who asks for the files themselves, for a bundle say, is not served by the tree.
    assert data("fetch", "small-bids", "--no-build", **gone).returncode == 3
    eeg = next(path for path in Path(first["bids"]).rglob("*_eeg.*") if path.stat().st_size > 9)
    eeg.chmod(0o644)
    eeg.write_bytes(eeg.read_bytes()[:-1])
    assert data("fetch", "small-bids", **gone).returncode == 3


def test_a_dry_run_says_that_an_archive_is_fetched_whole(data: Run) -> None:
    part = ("fetch", "chbmit-szcore", "--bids-subject", "01", "--dry-run")
    said = data(*part).stdout
    assert "the whole archive has to be fetched (its size is not pinned) for a part of it" in said
    assert "about 21.7 GB" in said
    assert _json(data(*part, "--json"))["whole"] == ["BIDS_CHB-MIT.zip"]
    assert "the whole archive" not in data("fetch", "chbmit-szcore", "--dry-run").stdout


def test_a_dry_run_says_what_the_mirrors_have(data: Run, home: Path) -> None:
    plan = _json(data("fetch", "small-bids", "--dry-run", "--json"))
    count = len(small_bids.used())
    assert (plan["files"], plan["here"]) == ([], {str(home / "mirror"): count})
    said = data("fetch", "small-bids", "--dry-run").stdout
    assert f"{count} files are on this machine: {count} in {home / 'mirror'}" in said


def test_info_says_where_to_apply(data: Run) -> None:
    said = data("info", "deap").stdout
    assert "where to ask: https://www.eecs.qmul.ac.uk/mmv/datasets/deap/\n" in said
    assert "check a copy: braino data verify deap --path DIR\n" in said
    assert "braino data info" not in said


def test_offline_names_files_and_commands(data: Run) -> None:
    done = data(
        "fetch", "small-bids", "--bids-subject", "002", BRAINO_OFFLINE="1", BRAINO_MIRRORS=""
    )
    assert done.returncode == 3
    assert "participants.tsv (" in done.stderr
    assert f"curl -LO {tiny.BASE}participants.tsv" in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 1000
    assert "braino data fetch small-bids --bids-subject 002" in done.stderr


def test_citing(data: Run) -> None:
    text = data("cite", "small-bids").stdout
    assert "small-bids@1.0.0" in text
    assert data("cite", "small-bids", "--text").stdout == text
    assert data("cite", "small-bids", "--bibtex").stdout.startswith("@misc{small-bids,")
    assert data("cite", "small-bids", "--cff").stdout.startswith('cff-version: "1.2.0"')
    document = _json(data("cite", "small-bids", "--json"))
    assert document["text"] == text
    assert {"bibtex", "cff", "identity"} <= set(document)
    part = data("cite", "small-bids", "--bids-subject", "001", "--bids-subject", "002")
    assert "only bids_subject 001 002." in part.stdout
    assert data("cite", "small-bids", "--bids-subject", "99").returncode == 2


def test_data_that_nobody_can_fetch_are_not_cited_as_used(data: Run) -> None:
    for form in ("--text", "--bibtex", "--cff"):
        text = data("cite", "deap", form).stdout
        assert "Koelstra" in text
        assert "pins no file of it: say which copy you used" in text
        assert "as pinned" not in text
        assert "Used: deap" not in text


def test_a_bundle_goes_to_another_cache(data: Run, home: Path) -> None:
    bundle = str(home / "small.tar")
    done = data("export", "small-bids", bundle)
    assert done.returncode == 0, done.stderr
    elsewhere = {
        "BRAINO_DATA": str(home / "other"), "BRAINO_MIRRORS": "", "BRAINO_OFFLINE": "1",
    }  # fmt: skip
    assert _json(data("import", bundle, "--json", **elsewhere))["taken"] == len(small_bids.used())
    assert data("build", "small-bids", **elsewhere).returncode == 0


def test_a_copy_of_ones_own_is_checked(data: Run, home: Path) -> None:
    copy = home / "mirror"
    assert data("verify", "small-bids", "--path", str(copy)).returncode == 0
    (copy / "README").write_text("Mine.\n")
    found = _json(data("verify", "small-bids", "--path", str(copy), "--json"), 3)
    assert found["wrong"] == ["README"]
    assert "README: another content" in data("verify", "small-bids", "--path", str(copy)).stdout


def test_an_entry_is_begun(data: Run, home: Path) -> None:
    options = ("--base", "https://x.org/d/", "--url", "https://x.org/")
    out = ("--out", str(home / "entries" / "datasets"))
    done = data("new", "mine", "--from", str(home / "mirror"), *options, *out, "--json")
    assert Path(_json(done)["pins"]).name == "mine.pins.tsv"
    assert _json(data("info", "mine", "--json"))["files"] == len(small_bids.bodies())


def test_the_cache_may_lie_beside_the_data_of_mne(data: Run, home: Path) -> None:
    done = data("build", "small-bids", BRAINO_DATA="", MNE_DATA=str(home / "mne_data"))
    assert Path(done.stdout.strip()).is_relative_to(home / "mne_data" / "braino")


def test_a_pin_file_with_a_fault_is_refused_with_its_line(data: Run, home: Path) -> None:
    table = home / "entries" / "datasets" / "small-bids.pins.tsv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = lines[3].replace("derivatives", "/derivatives", 1)
    table.write_text("".join(lines), encoding="utf-8")
    done = data("fetch", "small-bids")
    assert done.returncode == 2
    assert "is absolute" in done.stderr
    assert "small-bids.pins.tsv: line 4" in done.stderr
    rows = {row["id"]: row for row in _json(data("list", "--json"))}
    assert "line 4: the path" in rows["small-bids"]["problem"]
    assert rows["bonn"]["problem"] is None
