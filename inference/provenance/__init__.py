"""Content credentials (C2PA) of the service's results: signed as the last step of a job, and read back.

`__main__.py` is how the service asks; `certificate.py` knows certificates, `sign.py` writes credentials into a file, `read.py`
tells what a file carries. Needs what inference/requirements-provenance.txt names, and nothing else of this folder.
"""
