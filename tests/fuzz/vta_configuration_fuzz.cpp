// The text of a VTA configuration -> configuration -> text, and what follows from it.
#include "targets/vta/hardware/encoding.h"
#include "tests/fuzz/target.h"

using namespace tw;
using namespace tw::vta;

namespace {

/// Settings may be illegal: then all that is broken is told, each in a sentence.
void check_violations(std::string_view text, bool legal) {
  auto settings = parse_settings(text, "fuzz.vta");
  TW_ASSERT(settings || !legal, "what is legal can be read");
  if (!settings) return;
  std::vector<Error> broken = violations(*settings);
  TW_ASSERT(broken.empty() == legal, "what has no violation is legal");
  for (Error const& error : broken) fuzz::check_sentence(error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto configuration = parse_configuration(fuzz::text_of(data, size), "fuzz.vta");
  check_violations(fuzz::text_of(data, size), configuration.has_value());
  if (!configuration) {
    fuzz::check_sentence(configuration.error());
    return 0;
  }
  ++fuzz::accepted;
  auto again = parse_configuration(to_text(*configuration));
  TW_ASSERT(again && *again == *configuration, "a configuration survives its text");
  TW_ASSERT(!configuration->key().empty() && configuration->peak_gops() > 0, "it has a name");
  // Fields that do not fit their words would be a broken promise.
  for (Opcode opcode : {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kAlu})
    TW_ASSERT(!fields_of(*configuration, opcode).empty(), "an instruction has fields");
  return 0;
}
