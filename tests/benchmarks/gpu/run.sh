#!/bin/sh
# One line starts it all: sh run.sh [--out FILE] [--seconds 480] ... (./run-gpu --help)
# Libraries of NVIDIA's that Python's packages brought are found, too; none is needed.
folder=$(cd "$(dirname "$0")" && pwd) || exit 2
python=${PYTHON:-$(command -v python3)}
if [ -n "$python" ]; then
  found=$("$python" -c 'import glob, site, sys
folders = site.getsitepackages() + [site.getusersitepackages()] + sys.path
print(":".join(dict.fromkeys(p for f in folders if f for p in sorted(glob.glob(f + "/nvidia/*/lib")))))' 2>/dev/null)
fi
for lib in /usr/local/nvidia/lib64 /usr/local/cuda/lib64; do
  [ -d "$lib" ] && found=${found:+$found:}$lib
done
[ -n "$found" ] && LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$found
NVIDIA_TF32_OVERRIDE=0 # f32 is f32, in every library
export LD_LIBRARY_PATH NVIDIA_TF32_OVERRIDE
note=$(uname -srm)
if command -v nvidia-smi >/dev/null; then
  note="$note; $(timeout 20 nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu --format=csv,noheader 2>&1 |
    head -1)"
fi
program=$folder/run-gpu
[ -x "$program" ] || { # what carries files may forget how they may be used
  program=$(mktemp) && cp "$folder/run-gpu" "$program" && chmod +x "$program" || exit 2
}
exec "$program" --pack "$folder" --note "$note" ${python:+--python "$python"} "$@"
