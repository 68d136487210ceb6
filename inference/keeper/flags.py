"""Flags that the keeper adds to the command of Triton."""

import subprocess

HEADER = "x-enhance-admin"
RESTRICTED = "metadata,inference,shared-memory,model-config,model-repository,statistics,trace,logging"
SHUT = ["--allow-sagemaker=false", "--allow-vertex-ai=false"]
"""Before 26.03 these endpoints reach models past the restriction (CVE-2026-24207); an environment variable opens the second."""
MOST_BYTES = 1 << 30
"""Of one HTTP request. Releases from 25.05 on refuse requests above 64 MiB unless told otherwise; our largest is 192 MB."""


def guarded(command: list[str], secret: str) -> list[str]:
    """Triton's command with its restrictions. A flag that only some releases know is added where their help lists it."""
    rule = f"{RESTRICTED}:{HEADER}={secret}"
    known = subprocess.run([command[0], "--help"], capture_output=True, text=True, check=False).stdout
    largest = [f"--http-max-input-size={MOST_BYTES}"] if "--http-max-input-size" in known else []
    return [*command, *SHUT, *largest, f"--http-restricted-api={rule}", f"--grpc-restricted-protocol={rule}"]


def traced(endpoint: str) -> list[str]:
    """Flags by which Triton sends spans to a collector; none without one.

    endpoint: the base URL of a collector that takes OTLP over HTTP.
    rate=0: only of calls that name a span as their parent. The service decides what is recorded.
    """
    if not endpoint:
        return []
    target = [f"url={endpoint.rstrip('/')}/v1/traces", "resource=service.name=enhance-triton", "bsp_schedule_delay=1000"]
    settings = ["mode=opentelemetry", "level=TIMESTAMPS", "rate=0", *(f"opentelemetry,{setting}" for setting in target)]
    return [f"--trace-config={setting}" for setting in settings]
