// A lesson -> steps, goals, hints, solution -> text -> the same lesson.
#include "app/shared/lesson/lesson.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto lesson = lesson::parse(fuzz::text_of(data, size), "f.lesson");
  if (!lesson) {
    fuzz::check_sentence(lesson.error());
    TW_ASSERT(lesson.error().place.line > 0, "a mistake in a lesson stands on a line");
    return 0;
  }
  ++fuzz::accepted;
  TW_ASSERT(!lesson->steps.empty() && !lesson->title.empty(), "a lesson has a title and a step");
  for (lesson::Step const& step : lesson->steps)
    (void)lesson::shown_text(step, [](std::string const&) { return session::FactValue(1.5); });
  std::string text = lesson::to_text(*lesson);
  auto again = lesson::parse(text, "f.lesson");
  TW_ASSERT(again && lesson::to_text(*again) == text, "a lesson survives its text");
  TW_ASSERT(again->steps.size() == lesson->steps.size() && again->goals() == lesson->goals(),
            "no step and no goal of a lesson is lost");
  return 0;
}
