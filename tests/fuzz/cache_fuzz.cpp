// Entries of the kernel cache, with any key and with the right checksum.
#include "engine/compile/code_cache.h"
#include "engine/support/base/hash.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

constexpr std::string_view kMagic = "tilewright code 2\n";

std::string with_checksum(std::string_view body) {
  uint64_t sum = Hasher().text(body).finish();
  std::string bytes(kMagic);
  for (int i = 0; i < 8; ++i) bytes.push_back(char(sum >> (8 * i)));
  return bytes.append(body);
}

void read(std::string_view bytes) {
  auto code = parse_entry(bytes, "key");
  if (!code) return fuzz::check_sentence(code.error());
  ++fuzz::accepted;
  TW_ASSERT(to_entry("key", *code) == bytes, "an entry survives its bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  std::string_view bytes = fuzz::text_of(data, size);
  read(bytes);
  if (bytes.size() >= kMagic.size() + 8) read(with_checksum(bytes.substr(kMagic.size() + 8)));
  return 0;
}
