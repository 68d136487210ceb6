"""Returns what it is sent, after as many milliseconds as it is told to, as a model of the service does: by serving/shell.py."""

import os
import sys
import time

sys.path.append(os.environ["ENHANCE_INFERENCE"])

from serving.shell import Shell


class TritonPythonModel(Shell):
    def run(self, inputs, wanted):
        time.sleep(inputs.number("SLEEP_MS") / 1000)
        return {"DATA": inputs["DATA"]}
