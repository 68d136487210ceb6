"""What the operator or the caller can help, as a sentence for them."""


class ProvenanceError(Exception):
    pass
