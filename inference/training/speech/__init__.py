"""The recipe of the speech network: synthesise labelled speech, train, judge, write ONNX. See README.md."""
