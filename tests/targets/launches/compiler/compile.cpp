#include "tests/targets/launches/compiler/compile.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "engine/runtime/library_parts.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"
#include "tests/targets/launches/launches.h"

namespace tw::launches {

namespace fs = std::filesystem;

char const kHostPrelude[] =
    "#include \"engine/runtime/abi.h\"\n"
    "TW_NEEDS_RUNTIME(2);\n"
    "#define TRY(call) do { int32_t code = (call); if (code != 0) return code; } while (0)\n"
    "\n";
char const kDevicePrelude[] =
    "#include <stdint.h>\n"
    "typedef struct LaunchPoint {\n"
    "  uint32_t grid[3], block[3], block_index[3], thread[3];\n"
    "  void* shared;\n"
    "} LaunchPoint;\n"
    "\n";

namespace {

/// A folder of its own, which goes away with this value.
class Folder {
public:
  Folder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "tilewright-l-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path const& path() const { return path_; }

private:
  fs::path path_;
};

Result<std::string> compiled(Folder const& folder, std::string const& name,
                             std::string const& text) {
  if (folder.path().empty()) return environment_failed("link_failed", "no folder can be made");
  TRY(write_file(folder.path() / (name + ".c"), text, Durability::kFast));
  // Signed numbers wrap in kernel IR, and buffers of different types may share memory.
  std::string command = "cd '" + folder.path().string() +
                        "' && cc -std=gnu11 -O1 -w -fwrapv -fno-strict-aliasing -fPIC -shared -I'" +
                        testing::source() + "' " + name + ".c -o " + name + ".so -lm 2>messages";
  if (std::system(command.c_str()) != 0)
    return refused("link_failed",
                   "the C compiler made no library: " +
                       read_file(folder.path() / "messages").value_or("it cannot be started"));
  return read_file(folder.path() / (name + ".so"));
}

}  // namespace

Result<std::vector<std::byte>> compile_library(std::string const& host, std::string const& device) {
  Folder folder;
  TRY_ASSIGN(std::string host_code, compiled(folder, kHostPart, host));
  TRY_ASSIGN(std::string image, compiled(folder, kDevicePart, device));
  std::array<LibraryPart, 2> parts{{{kHostPart, std::as_bytes(std::span(host_code))},
                                    {kDevicePart, std::as_bytes(std::span(image))}}};
  return join_parts(parts);
}

}  // namespace tw::launches
