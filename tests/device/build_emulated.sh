#!/usr/bin/env bash
# build_emulated.sh ARCHITECTURE SOURCE FOLDER: cross-compiles tw-device for aarch64 or armv7 into FOLDER/build, against
# Debian's own packages for it, unpacked into FOLDER/sysroot: nothing of this machine's packages is touched.
# Done once; a later call only compiles what changed. Ends with 77 and a reason where it cannot be done.
set -eu
architecture=$1
source=$(cd "$2" && pwd)
mkdir -p "$3"
folder=$(cd "$3" && pwd)
sysroot=$folder/sysroot

skip() { echo "skipped: $*"; exit 77; }

# What Debian calls the architecture, its libraries and its emulator.
case $architecture in
  aarch64) debian=arm64 libraries=aarch64-linux-gnu emulator=qemu-aarch64-static ;;
  armv7) debian=armhf libraries=arm-linux-gnueabihf emulator=qemu-arm-static ;;
  *) echo "there is no recipe for '$architecture'" && exit 2 ;;
esac
for tool in $libraries-g++-12 $libraries-g++; do command -v $tool >/dev/null && compiler=$tool && break; done
[ -n "${compiler:-}" ] || skip "there is no $architecture compiler (package g++-$libraries)"
command -v $emulator >/dev/null || skip "there is no $emulator (package qemu-user-static)"
for tool in apt-get dpkg-deb cmake ninja protoc grpc_cpp_plugin; do
  command -v $tool >/dev/null || skip "there is no $tool"
done

# Packages for it through a private root of apt: it reads this machine's sources and keys, and
# believes that nothing is installed.
fetch_packages() {
  local apt=$folder/apt
  rm -rf "$apt"
  mkdir -p "$apt"/{lists/partial,archives/partial,dpkg}
  : >"$apt/dpkg/status"
  local options=(-o APT::Architecture=$debian -o APT::Architectures::=$debian
    -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/dpkg/status"
    -o Dir::Cache="$apt" -o Dir::Cache::archives="$apt/archives" -o APT::Sandbox::User=
    -o Debug::NoLocking=1 -o Acquire::Languages=none -o APT::Install-Recommends=0)
  timeout 300 apt-get "${options[@]}" -qq update >"$apt/log" 2>&1 || true  # one list of several may not come
  timeout 600 apt-get "${options[@]}" -y -qq --download-only install libc6-dev libstdc++-12-dev \
    libgrpc++-dev libprotobuf-dev libfmt-dev nlohmann-json3-dev libseccomp-dev opencl-c-headers >>"$apt/log" 2>&1 || return 1
  rm -rf "$sysroot.new"
  mkdir "$sysroot.new"
  for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$sysroot.new"; done
  # Links that begin with / would lead out of it.
  find "$sysroot.new" -lname '/*' | while read -r link; do
    ln -sfnr "$sysroot.new$(readlink "$link")" "$link"
  done
  # gRPC's CMake package asks for its plugins, which run on this machine.
  ln -sf /usr/bin/grpc_*_plugin "$sysroot.new/usr/bin/"
  rm -rf "$apt"
  mv "$sysroot.new" "$sysroot"
}

if [ ! -d "$sysroot" ]; then
  fetch_packages || skip "Debian's $debian packages cannot be had: $(tail -n 1 "$folder/apt/log" 2>/dev/null)"
fi

cat >"$folder/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $architecture)
set(CMAKE_CXX_COMPILER $compiler)
set(CMAKE_C_COMPILER ${compiler/g++/gcc})
set(CMAKE_LIBRARY_ARCHITECTURE $libraries)
set(CMAKE_SYSROOT $sysroot)
set(CMAKE_FIND_ROOT_PATH $sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} $sysroot/usr/lib/$libraries/pkgconfig:$sysroot/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $sysroot)
TOOLCHAIN

cmake -S "$source" -B "$folder/build" -G Ninja -DTW_DEVICE_ONLY=ON -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" >"$folder/configure.log" 2>&1 || {
  tail -n 20 "$folder/configure.log"
  exit 1
}
cmake --build "$folder/build" --target tw_device_server tw_device_rpc_server >"$folder/build.log" 2>&1 || {
  tail -n 20 "$folder/build.log"
  exit 1
}
echo "sysroot $sysroot"
echo "device $folder/build/bin/tw-device"
