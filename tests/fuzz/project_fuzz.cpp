// A project (JSON) -> project -> JSON, and what is said about it.
#include "engine/session/project/project.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto project = session::parse_project(fuzz::text_of(data, size), "f");
  if (!project) {
    fuzz::check_sentence(project.error());
    return 0;
  }
  ++fuzz::accepted;
  std::string text = session::to_text(*project);
  auto again = session::parse_project(text, "f");
  TW_ASSERT(again && session::to_text(*again) == text, "a project survives its file");
  TW_ASSERT(session::summary_of(*project).size() == project->kernels.size(),
            "every kernel of a project is summed up");
  return 0;
}
