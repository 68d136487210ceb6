"""Calls the API with the client that openapi-python-client made from its document.

Arguments: the address of the API, a key, and the path of a picture. Prints what came back, as JSON.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from enhance_api import AuthenticatedClient
from enhance_api.api.credits_ import get_credits
from enhance_api.api.enhance import estimate_upscale, upscale
from enhance_api.api.jobs import get_job, list_jobs
from enhance_api.api.uploads import create_upload
from enhance_api.models import (
    Balance,
    Estimate,
    JobList,
    Problem,
    Upload,
    UploadForm,
    UpscaleForm,
    UpscaleJob,
    UpscaleModel,
    UpscaleRequest,
    UpscaleScale,
)
from enhance_api.types import File

url, key, path = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)


def picture() -> File:
    return File(payload=BytesIO(Path(path).read_bytes()), file_name="picture.png")


def form(scale: UpscaleScale) -> UpscaleForm:
    return UpscaleForm(model=UpscaleModel.PHOTO, scale=scale, image=picture())


upload = create_upload.sync(client=client, body=UploadForm(file=picture()))
assert isinstance(upload, Upload), upload

estimate = estimate_upscale.sync(client=client, body=form(UpscaleScale.X2))
assert isinstance(estimate, Estimate), estimate

request = UpscaleRequest(model=UpscaleModel.PHOTO, scale=UpscaleScale.X4, image_url=upload.url)
job = upscale.sync(client=client, body=request, prefer="respond-async")
assert isinstance(job, UpscaleJob), job

jobs = list_jobs.sync(client=client)
assert isinstance(jobs, JobList), jobs

refused = list_jobs.sync(client=client, limit=1000)
assert isinstance(refused, Problem), refused

unknown = get_job.sync("job_0", client=client)
assert isinstance(unknown, Problem), unknown

balance = get_credits.sync(client=client)
assert isinstance(balance, Balance), balance

print(
    json.dumps(
        {
            "upload": upload.kind,
            "estimate": estimate.credits_,
            "kind": job.kind,
            "status": job.status,
            "input": job.input_.size,
            "listed": len(jobs.data),
            "refused": refused.code,
            "pointer": refused.errors[0].pointer if refused.errors else None,
            "unknown": unknown.code,
            "account": balance.account,
        }
    )
)
