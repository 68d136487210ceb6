/** A release of an upscaler from one ONNX file: the folder that inference/serving/onnx_upscaler.py serves. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes `config.pbtxt`, `1/model.py` and `1/network.onnx` into `folder`. Whether the network fits is found when it is loaded. */
export const writeOnnxRelease = async (file: string, folder: string): Promise<void> => {
  await mkdir(join(folder, '1'), { recursive: true });
  await writeFile(join(folder, 'config.pbtxt'), config);
  await writeFile(join(folder, '1/model.py'), model);
  await cp(file, join(folder, '1/network.onnx'));
};

const config = `backend: "python"

# A picture is one request of its own size: nothing could be batched, and on a CPU batches gain nothing (measured).
max_batch_size: 0

input [
  # Height, width, channels: RGB, or RGB and straight alpha. Of 8 or of 16 bits: a request has one of them.
  { name: "IMAGE", data_type: TYPE_UINT8, dims: [ -1, -1, -1 ], optional: true },
  { name: "IMAGE16", data_type: TYPE_UINT16, dims: [ -1, -1, -1 ], optional: true },
  # 2, 4 or 8.
  { name: "SCALE", data_type: TYPE_INT32, dims: [ 1 ] }
]
output [
  # Of the input of the same name.
  { name: "IMAGE", data_type: TYPE_UINT8, dims: [ -1, -1, -1 ] },
  { name: "IMAGE16", data_type: TYPE_UINT16, dims: [ -1, -1, -1 ] },
  # What runs the network ("openvino bf16", "onnxruntime cuda"), for who asks for it by name.
  { name: "ENGINE", data_type: TYPE_STRING, dims: [ 1 ] }
]

# AUTO: one instance for each GPU, or one on the CPU. One is right there too: it uses every core by itself.
instance_group [ { count: 1, kind: KIND_AUTO } ]

parameters { key: "scales", value: { string_value: "2,4,8" } }
# Bits of a sample. A release that does not say 16 gets pictures of 8 bits only.
parameters { key: "depths", value: { string_value: "8,16" } }
# Enough for every network: the tiles of one whose pixels depend on all of a tile lie on a grid of 208 rows
# (STEP in enhance/upscale/onnx_upscaler.py), and one that looks less far needs fewer rows more.
parameters { key: "band_align", value: { string_value: "208" } }
parameters { key: "band_halo", value: { string_value: "208" } }
# 0: the service takes as many rows as are done in a second or two.
parameters { key: "band_rows", value: { string_value: "0" } }
`;

const model = `"""Triton's entry for a release that was made from one ONNX file."""

from serving.onnx_upscaler import OnnxUpscalerModel


class TritonPythonModel(OnnxUpscalerModel):
    pass
`;
