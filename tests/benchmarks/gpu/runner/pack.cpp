#include "tests/benchmarks/gpu/runner/pack.h"

#include <fstream>
#include <sstream>

namespace tw::gpu_bench {
namespace {

std::unexpected<Error> not_readable(std::filesystem::path const& path) {
  return environment_failed("file_unreadable", "'" + path.string() + "' cannot be read");
}

}  // namespace

Result<std::string> file_text(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return not_readable(path);
  return text.str();
}

Result<Pack> Pack::open(std::filesystem::path folder) {
  TRY_ASSIGN(std::string text, file_text(folder / "pack.json"));
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.contains("items") || json.value("version", 0) != 1)
    return bad_input("file_unreadable", "'pack.json' is no list of kernels of this version");
  return Pack{std::move(folder), std::move(json)};
}

Result<std::vector<std::byte>> Pack::stored(Json const& where) const {
  std::ifstream file(folder / "data.bin", std::ios::binary);
  std::vector<std::byte> bytes(where.at("bytes").get<size_t>());
  file.seekg(where.at("at").get<std::streamoff>());
  file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
  if (!file) return not_readable(folder / "data.bin");
  return bytes;
}

Json failed(std::string const& name, std::string const& why) {
  return {{"name", name}, {"ok", false}, {"why", why}};
}

}  // namespace tw::gpu_bench
