"""A model whose weights are not there."""

import time


class TritonPythonModel:
    def initialize(self, args):
        time.sleep(2)
        raise FileNotFoundError("no weights")

    def execute(self, requests):
        raise NotImplementedError
