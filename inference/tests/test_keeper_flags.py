"""Which flags the keeper adds to Triton's command, and how many instances its models get."""

from pathlib import Path

import pytest

from keeper.flags import guarded, traced
from keeper.instances import spread, spread_first, with_instances

SECRET = "s" * 16


def command_of(folder: Path, help_text: str) -> list[str]:
    """A server that only prints its help."""
    server = folder / "tritonserver"
    server.write_text(f"#!/bin/sh\necho '{help_text}'\n")
    server.chmod(0o700)
    return [str(server), "--http-port=1"]


@pytest.mark.parametrize(
    ("help_text", "flags"),
    [("  --http-port <integer>", []), ("  --http-max-input-size <integer>", ["--http-max-input-size=1073741824"])],
)
def test_the_size_of_a_request_is_bounded_where_the_release_has_a_lower_bound(
    tmp_path: Path, help_text: str, flags: list[str]
) -> None:
    added = guarded(command_of(tmp_path, help_text), SECRET)
    assert [word for word in added if "max-input-size" in word] == flags


def test_everything_but_health_needs_the_secret_and_other_doors_stay_shut(tmp_path: Path) -> None:
    added = guarded(command_of(tmp_path, ""), SECRET)
    assert added[1:4] == ["--http-port=1", "--allow-sagemaker=false", "--allow-vertex-ai=false"]
    for flag in ("--http-restricted-api=", "--grpc-restricted-protocol="):
        (rule,) = [word.removeprefix(flag) for word in added if word.startswith(flag)]
        names, _, value = rule.partition(":")
        assert value == f"x-enhance-admin={SECRET}"
        assert "health" not in names
        assert len(names.split(",")) == 8


def test_without_a_collector_triton_traces_nothing() -> None:
    assert traced("") == []


@pytest.mark.parametrize("endpoint", ["http://collector:4318", "http://collector:4318/"])
def test_only_what_the_service_records_is_traced_and_sent_to_its_collector(endpoint: str) -> None:
    settings = [word.removeprefix("--trace-config=") for word in traced(endpoint)]
    assert "opentelemetry,url=http://collector:4318/v1/traces" in settings
    assert {"mode=opentelemetry", "level=TIMESTAMPS", "rate=0"} < set(settings)


MODELS = Path(__file__).parents[2] / "models"


def count_in(repository: Path, model: str) -> str:
    (line,) = [line for line in (repository / model / "config.pbtxt").read_text().splitlines() if "instance_group" in line]
    return line.split("count: ")[1].split(",")[0]


@pytest.mark.parametrize(("cores", "renderers", "trackers"), [(8, "4", "2"), (16, "8", "4"), (64, "8", "8")])
def test_on_more_cores_a_model_has_more_instances(tmp_path: Path, cores: int, renderers: str, trackers: str) -> None:
    repository = spread(MODELS, cores, tmp_path)
    assert repository == tmp_path
    assert {folder.name for folder in repository.iterdir()} == {folder.name for folder in MODELS.iterdir()}
    assert count_in(repository, "mouth_render_studio") == renderers
    assert count_in(repository, "face_track") == trackers
    assert count_in(repository, "mouth_plan") == "1"
    for model in ("mouth_render_studio", "mouth_plan"):
        assert (repository / model / "1" / "model.py").samefile(MODELS / model / "1" / "model.py")


def test_on_few_cores_the_repository_stays(tmp_path: Path) -> None:
    assert spread(MODELS, 2, tmp_path) == MODELS
    assert not list(tmp_path.iterdir())


def test_a_model_that_says_nothing_of_cores_keeps_its_instances() -> None:
    config = "instance_group [ { count: 2, kind: KIND_CPU } ]"
    assert with_instances(config, 64) == config


def test_only_the_first_repository_gets_more_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENHANCE_THREADS", "16")
    given = ["tritonserver", f"--model-repository={MODELS}", "--model-repository=/added"]
    assert spread_first(given, tmp_path) == ["tritonserver", f"--model-repository={tmp_path}", "--model-repository=/added"]
