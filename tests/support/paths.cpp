#include "tests/support/paths.h"

#include <mutex>
#include <set>

namespace tw::testing {
namespace {

char const* kept(std::string text) {
  static std::mutex mutex;
  static std::set<std::string> all;
  std::scoped_lock lock(mutex);
  return all.insert(std::move(text)).first->c_str();
}

}  // namespace

char const* built(std::string const& path) { return kept(TW_BINARY_DIR + path); }
char const* source(std::string const& path) { return kept(TW_SOURCE_DIR + path); }
char const* shared_models(std::string const& path) { return kept(TW_SHARED_MODELS + path); }
char const* onnx_testdata(std::string const& path) { return kept(TW_ONNX_TESTDATA + path); }

}  // namespace tw::testing
