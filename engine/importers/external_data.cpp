#include "engine/importers/external_data.h"

#include <fmt/format.h>

#include <fstream>

#include "engine/support/files.h"
#include "engine/support/relative_path.h"

namespace tw {

namespace fs = std::filesystem;

ExternalBytes external_bytes_beside(fs::path const& model) {
  std::error_code ignored;
  fs::path folder = fs::absolute(model, ignored).parent_path();
  return
      [folder](std::string const& location, int64_t offset, int64_t bytes) -> Result<std::string> {
        auto wrong = [&](std::string const& why) {
          return bad_input("external_data",
                           fmt::format("the weights in '{}' beside the model {}", location, why));
        };
        // A model from somebody else must not make us read whatever file it names.
        if (!stays_below(location)) return wrong("would lie outside of its folder");
        fs::path file = folder / location;
        std::error_code missing;
        if (!fs::is_regular_file(file, missing)) return wrong("are missing");
        auto size = int64_t(fs::file_size(file, missing));
        if (missing || offset < 0 || bytes < 0 || offset > size || bytes > size - offset)
          return wrong(fmt::format("end after {} bytes; {} from byte {} on are wanted", size, bytes,
                                   offset));
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
