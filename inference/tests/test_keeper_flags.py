"""Which flags the keeper adds to Triton's command, for releases that know them and for those that do not."""

from pathlib import Path

import pytest

from serving.keeper import guarded, traced

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
