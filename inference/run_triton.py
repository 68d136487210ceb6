"""Runs Triton and keeps it well, beside `npm start` and in the container alike. docs/decisions/0014 says why it is shaped so.

usage: TRITON_ADMIN_SECRET=... python3 inference/run_triton.py tritonserver --http-port=... [more of Triton's flags]

OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS have Triton send spans of its own to the collector of the service.

- Triton answers health checks to everyone, and everything else only to who sends the secret. Doors that the secret does not
  guard (SageMaker, Vertex AI) stay shut.
- A Python process (stub) that has died, or has hung, has its model unloaded and loaded again; Triton itself does neither.
- A Python process that is still loading a model with a file UNWANTED in its folder is killed: it may hang.
- When that does not help, or Triton itself hangs, Triton is ended. Whoever runs this starts both again.
- Of models whose config has the parameter cores_per_instance there are more instances on a machine with more cores; Triton
  knows fixed numbers only.
"""

import sys

from keeper.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
