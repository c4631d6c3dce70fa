#include "app/cli/standard_input.h"

#include <cstdio>
#include <cstdlib>

#include "engine/support/files.h"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

std::string read_all() {
  std::string content(1 << 16, '\0');
  std::string all;
  while (size_t bytes = std::fread(content.data(), 1, content.size(), stdin))
    all.append(content, 0, bytes);
  return all;
}

/// What is text says what it is in its first line; an ONNX model is none.
std::string ending_of(std::string const& content) {
  std::string first = content.substr(0, content.find('\n'));
  if (first.find("tilewright te") != std::string::npos) return ".te";
  if (first.find("tilewright schedule") != std::string::npos) return ".tws";
  if (first.find("tilewright journal") != std::string::npos) return ".journal";
  return ".onnx";
}

Result<fs::path> fresh_folder() {
  std::error_code none;
  std::string pattern = (fs::temp_directory_path(none) / "tw-input-XXXXXX").string();
  if (none || ::mkdtemp(pattern.data()) == nullptr)
    return environment_failed("folder_unwritable", "standard input has no place: " + pattern);
  return fs::path(pattern);
}

}  // namespace

StandardInput::~StandardInput() {
  std::error_code ignored;  // at the end there is nobody to tell
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Status StandardInput::replace(std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "-" || (i > 0 && words[i - 1] == "--out")) continue;
    if (!file_.empty())
      return bad_input("bad_standard_input", "only one file can be standard input ('-')");
    TRY_ASSIGN(folder_, fresh_folder());
    std::string content = read_all();
    file_ = folder_ / ("standard input" + ending_of(content));
    TRY(write_file(file_, content, Durability::kFast));
    words[i] = file_.string();
  }
  return {};
}

}  // namespace tw::cli
