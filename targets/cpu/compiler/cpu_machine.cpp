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

}  // namespace tw
