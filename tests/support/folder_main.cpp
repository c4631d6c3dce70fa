#include "tests/support/folder_main.h"

#include <cstdio>
#include <map>
#include <string>

namespace tw::testing {
namespace {

std::map<std::string, TestMain>& tests() {
  static std::map<std::string, TestMain> table;
  return table;
}

std::string stem_of(std::string const& path) {
  size_t start = path.rfind('/') + 1;  // without one, 0
  return path.substr(start, path.rfind('.') - start);
}

/// The test that a link FOLDER_NAME_test means: the longest name, as others may end alike.
TestMain by_link(std::string const& program) {
  TestMain found = nullptr;
  size_t longest = 0;
  for (auto const& [name, main] : tests())
    if (program.ends_with("_" + name) && name.size() > longest) found = main, longest = name.size();
  return found;
}

int usage(char const* program) {
  std::fprintf(stderr, "usage: %s TEST [FUNCTION...] [options of Qt Test]\ntests:\n", program);
  for (auto const& [name, main] : tests()) std::fprintf(stderr, "  %s\n", name.c_str());
  return 2;
}

}  // namespace

bool add_test(char const* file, TestMain main) {
  return tests().emplace(stem_of(file), main).second;
}

}  // namespace tw::testing

int main(int count, char** words) {
  using namespace tw::testing;
  if (TestMain linked = by_link(words[0])) return linked(count, words);
  auto found = count > 1 ? tests().find(words[1]) : tests().end();
  if (found == tests().end()) return usage(words[0]);
  words[1] = words[0];
  return found->second(count - 1, words + 1);
}
