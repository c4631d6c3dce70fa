#include "targets/cpu/compiler/cpu_machine.h"

#include "targets/cpu/hardware/detect.h"

namespace tw {

Result<Machine> create_cpu_machine(Hardware const& hardware, std::string generator) {
  return Machine::create({.triple = hardware.word(kTriple),
                          .cpu = hardware.word(kProcessor),
                          .features = hardware.word(kFeatures),
                          .vector_bits = hardware.unit().vector_bytes * 8,
                          .generator = std::move(generator)});
}

LinkOptions cpu_link_options(Hardware const& hardware) {
  if (!hardware.word(kTriple).starts_with("armv7")) return {};
  return {.of_the_loader = {
              // Run-time ABI for the Arm Architecture, 4.1 and 4.2
              "__aeabi_ldivmod", "__aeabi_uldivmod", "__aeabi_idiv", "__aeabi_uidiv",
              "__aeabi_idivmod", "__aeabi_uidivmod", "__aeabi_l2f", "__aeabi_ul2f", "__aeabi_l2d",
              "__aeabi_ul2d", "__aeabi_f2lz", "__aeabi_f2ulz", "__aeabi_d2lz", "__aeabi_d2ulz",
              // C 2011, 7.12
              "floorf", "floor", "ceilf", "ceil", "truncf", "trunc", "rintf", "rint", "nearbyintf",
              "nearbyint", "roundf", "round", "roundevenf", "roundeven", "fmaf", "fma", "fmodf",
              "fmod", "fminf", "fmin", "fmaxf", "fmax",
              // 7.24
              "memcpy", "memset", "memmove"}};
}

}  // namespace tw
