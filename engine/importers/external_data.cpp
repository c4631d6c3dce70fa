#include "engine/importers/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "engine/support/files.h"
#include "engine/support/relative_path.h"

namespace tw {

namespace fs = std::filesystem;

namespace {

bool lies_below(fs::path const& file, fs::path const& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

/// Links may lead out of the model's folder in one way: where the model is itself a link into a
/// store, its weights may be links to files beside what it is. So caches keep downloaded models:
/// a folder of names, all of them links into a folder of contents.
bool is_the_models_own(fs::path const& model, fs::path const& file) {
  std::error_code failed;
  fs::path folder = fs::canonical(fs::absolute(model, failed).parent_path(), failed);
  if (failed) return false;
  if (lies_below(file, folder)) return true;
  fs::path whole = fs::canonical(model, failed);
  return !failed && fs::is_symlink(model, failed) && file.parent_path() == whole.parent_path();
}

}  // namespace

ExternalBytes external_bytes_beside(fs::path const& model) {
  std::error_code ignored;
  fs::path folder = fs::absolute(model, ignored).parent_path();
  return [folder, model](std::string const& location, int64_t offset,
                         int64_t bytes) -> Result<std::string> {
    auto wrong = [&](std::string const& why) {
      return bad_input("external_data",
                       fmt::format("the weights in '{}' beside the model {}", location, why));
    };
    // A model from somebody else must not make us read whatever file it names.
    if (!stays_below(location)) return wrong("would be outside its folder");
    std::error_code missing;
    fs::path file = fs::canonical(folder / location, missing);
    if (missing || !fs::is_regular_file(file, missing)) return wrong("are missing");
    if (!is_the_models_own(model, file)) return wrong("are a link to a file outside its folder");
    auto size = int64_t(fs::file_size(file, missing));
    if (missing || offset < 0 || bytes < 0 || offset > size || bytes > size - offset)
      return wrong(fmt::format("end after {} bytes, but {} bytes from byte {} on are needed", size,
                               bytes, offset));
    std::string content(size_t(bytes), '\0');
    std::ifstream stream(file, std::ios::binary);
    if (!stream.seekg(offset) || !stream.read(content.data(), std::streamsize(bytes)))
      return wrong("cannot be read");
    return content;
  };
}

std::vector<std::string> external_files_of(fs::path const& model) {
  if (model.extension() != ".onnx") return {};
  auto bytes = read_file(model);
  return bytes ? external_files_in(*bytes) : std::vector<std::string>();
}

}  // namespace tw
