"""Which bank a directory has: by its primary checkout, so that worktrees share and namesakes do not."""

import subprocess
from pathlib import Path

import pytest

from capabilities.retain.banks import Scoping, local_bank, primary_checkout, project_label, server_bank
from fabric.errors import ConfigurationError


def _git(where: Path, *arguments: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *own, *arguments], cwd=where, check=True, capture_output=True)


def _repository(where: Path) -> Path:
    where.mkdir(parents=True)
    _git(where, "init", "-q")
    _git(where, "commit", "-q", "--allow-empty", "-m", "first")
    return where


def test_a_worktree_and_a_folder_belong_to_the_primary_checkout(tmp_path: Path) -> None:
    shop = _repository(tmp_path / "one" / "Shop")
    _git(shop, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "hotfix"))
    (shop / "src" / "deep").mkdir(parents=True)
    places = [shop, shop / "src" / "deep", tmp_path / "elsewhere" / "hotfix"]
    assert {project_label(place) for place in places} == {"shop"}
    assert len({local_bank("per-project", place).id for place in places}) == 1


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    shop, part = _repository(tmp_path / "shop"), _repository(tmp_path / "part")
    _git(shop, "submodule", "--quiet", "add", str(part), "vendored")
    assert project_label(shop / "vendored") == "vendored"


def test_a_worktree_of_a_bare_repository_has_its_name(tmp_path: Path) -> None:
    bare = tmp_path / "shop.git"
    _git(tmp_path, "clone", "-q", "--bare", str(_repository(tmp_path / "origin")), str(bare))
    _git(bare, "worktree", "add", "-q", str(tmp_path / "work"))
    assert project_label(tmp_path / "work") == "shop"


def test_two_projects_of_one_name_have_two_local_banks(tmp_path: Path) -> None:
    here, there = tmp_path / "a" / "app", tmp_path / "b" / "app"
    here.mkdir(parents=True)
    there.mkdir(parents=True)
    assert local_bank("per-project", here).id != local_bank("per-project", there).id
    assert server_bank("per-project", here).id == server_bank("per-project", there).id == "thought-fabric-app"


@pytest.mark.parametrize(
    ("scoping", "bank", "reads", "tags"),
    [
        ("global", "acme-team", ("acme-team",), ()),
        ("per-project", "acme-team-app", ("acme-team-app",), ()),
        ("per-project-tagged", "acme-team", ("acme-team",), ("project:app",)),
    ],
)
def test_the_three_scopings_on_a_server(
    tmp_path: Path, scoping: Scoping, bank: str, reads: tuple[str, ...], tags: tuple[str, ...]
) -> None:
    (tmp_path / "App").mkdir()
    made = server_bank(scoping, tmp_path / "App", "team", "acme")
    assert (made.id, made.reads, made.tags) == (bank, reads, tags)


def test_the_three_scopings_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "a p/p").mkdir(parents=True)
    where = tmp_path / "a p"
    assert local_bank("global", where).reads == ("default",)
    own = local_bank("per-project", where)
    assert own.reads == (own.id,)
    assert own.id.startswith("a-p-")
    tagged = local_bank("per-project-tagged", where)
    assert (tagged.id, tagged.reads) == (own.id, (own.id, "default"))
    long = tmp_path / ("ü" * 80)
    long.mkdir()
    assert len(local_bank("per-project", long).id) <= 64


@pytest.mark.parametrize("wrong", ["nowhere", "file", "\0"])
def test_what_is_no_directory_is_refused(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="give the directory of the project"):
        primary_checkout(str(tmp_path / wrong))
