// The description of an exported model, as the runtime reads it in a stranger's process.
#include <cstdio>
#include <string>

#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/description.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

/// The text with the checksum that it would need, so that what is behind the check is reached.
std::string with_checksum(std::string_view text) {
  constexpr std::string_view kKey = "\"checksum_of_the_above\":";
  std::string head(text.substr(0, text.rfind(kKey)));
  uint64_t sum = checksum_of({reinterpret_cast<std::byte const*>(head.data()), head.size()});
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return head + std::string(kKey) + " \"" + digits + "\"\n}\n";
}

void read(std::string_view text) {
  auto description = package::parse_description(text);
  if (!description) return fuzz::check_sentence(description.error());
  ++fuzz::accepted;
  auto again = package::parse_description(package::to_text(*description));
  TW_ASSERT(again && *again == *description, "a description survives its text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  read(text);
  read(with_checksum(text));
  return 0;
}
