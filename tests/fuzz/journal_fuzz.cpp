// A journal -> lines -> text -> the same lines.
#include "app/shared/journal/journal.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto journal = journal::parse(fuzz::text_of(data, size), "f");
  if (!journal) {
    fuzz::check_sentence(journal.error());
    TW_ASSERT(journal.error().place.line > 0, "a mistake in a journal stands on a line");
    return 0;
  }
  ++fuzz::accepted;
  std::string text = journal::to_text(*journal);
  auto again = journal::parse(text, "f");
  TW_ASSERT(again && journal::to_text(*again) == text, "a journal survives its text");
  TW_ASSERT(again->lines.size() == journal->lines.size(), "no line of a journal is lost");
  return 0;
}
