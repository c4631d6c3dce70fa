#include "engine/target/target.h"

namespace tw {

std::string Target::title() const {
  std::string family = hardware.triple.substr(0, hardware.triple.find('-'));
  if (family == "x86_64") family = "x86-64";
  std::string vectors = std::to_string(hardware.vector_bytes * 8) + "-bit vectors";
  if (family == "x86-64")
    vectors = hardware.vector_bytes == 64   ? "AVX-512"
              : hardware.vector_bytes == 32 ? "AVX2"
                                            : "SSE";
  if (family == "aarch64") vectors = "NEON";
  return family + " · " + vectors;
}

}  // namespace tw
