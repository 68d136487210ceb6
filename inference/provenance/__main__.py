"""python -m provenance: one request as JSON on standard input, its answer as JSON on standard output.

A request names what it asks for in `ask`: "certificate", "check", "sign" or "read". What the operator or the caller can help is
answered as {"fault": SENTENCE}; any other error is a line on standard error and exit code 1.
"""

import json
import sys
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


def main() -> int:
    try:
        from . import sign  # noqa: F401 (it loads all packages while the request is still to come)

        json.dump(answer(json.load(sys.stdin)), sys.stdout)
    except Exception as error:
        # In the form of ffmpeg's errors, as src/media/child-exit.ts reads them.
        print(f"[error] {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def answer(request: Answer) -> Answer:
    # Here, so that a package that is missing is told like any other error.
    from .certificate import Identity, development
    from .error import ProvenanceError
    from .read import read
    from .sign import check, sign

    try:
        match request:
            case {"ask": "certificate", "folder": folder}:
                return development(Path(folder)).as_texts()
            case {"ask": "check", "certificate": certificate, "key": key}:
                return check(Identity(certificate, key))
            case {"ask": "sign", "source": source, "target": target, "edit": edit, "certificate": certificate, "key": key}:
                return sign(Path(source), Path(target), Identity(certificate, key), edit)
            case {"ask": "read", "path": path, "anchors": anchors}:
                return read(Path(path), anchors)
        raise ValueError(f"expected a request for certificate, check, sign or read; got {sorted(request)}")
    except ProvenanceError as error:
        return {"fault": str(error)}


if __name__ == "__main__":
    sys.exit(main())
