#!/bin/sh
# Copies what Triton needs on a CPU out of NVIDIA's image: the server, its Python backend, and every library that they
# are linked with but those of the C library and of Python, which come from the distribution.
# usage: sh slim.sh FOLDER     (SERVER=/opt/tritonserver, where the image has it)
set -eu
folder=$1
server=${SERVER:-/opt/tritonserver}
to=$folder/opt/tritonserver
programs="bin/tritonserver lib/libtritonserver.so backends/python/libtriton_python.so backends/python/triton_python_backend_stub"

mkdir -p "$to/bin" "$to/lib" "$to/backends"
cp -L "$server/bin/tritonserver" "$to/bin/"
cp -L "$server/lib/libtritonserver.so" "$to/lib/"
cp -rL "$server/backends/python" "$to/backends/"

for program in $programs; do
  LD_LIBRARY_PATH="$server/lib:${LD_LIBRARY_PATH:-}" ldd "$server/$program"
done >"$folder/linked"
if grep 'not found' "$folder/linked"; then
  echo "slim.sh: the libraries above are missing in this image" >&2
  exit 1
fi
sed -n 's/.*=> \(\/[^ ]*\) (0x.*/\1/p' "$folder/linked" | awk -F/ '!seen[$NF]++' |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libpython3\.[0-9]+)\.so' |
  xargs cp -L -t "$to/lib"
rm "$folder/linked"

. /etc/os-release
printf %s "$VERSION_ID" >"$to/ubuntu"
