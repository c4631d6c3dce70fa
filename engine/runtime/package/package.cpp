#include "engine/runtime/package/package.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/runtime/package/checksum.h"
#include "engine/runtime/package/processor_check.h"

namespace tw::package {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostDescriptionBytes = size_t(64) << 20;

/// A file of the folder, read from its beginning.
class OpenFile {
public:
  explicit OpenFile(fs::path const& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    reason_ = file_ ? 0 : errno;
  }
  ~OpenFile() {
    if (file_) std::fclose(file_);
  }
  OpenFile(OpenFile const&) = delete;
  OpenFile& operator=(OpenFile const&) = delete;

  Status status() const {
    if (file_ && !std::ferror(file_)) return {};
    return environment_failed("package_unreadable", path_.string() + " cannot be read: " +
                                                        std::strerror(file_ ? errno : reason_));
  }
  /// Bytes read; fewer than asked at the file's end.
  size_t read(std::span<std::byte> to) {
    return file_ ? std::fread(to.data(), 1, to.size(), file_) : 0;
  }

private:
  fs::path path_;
  std::FILE* file_;
  int reason_ = 0;
};

std::unexpected<Error> damaged(File const& file, std::string const& why) {
  return bad_input("damaged_package", file.name + " is damaged: " + why);
}

/// Exactly the bytes that the description states, with their checksum. A file that is longer is
/// another one.
Status read_exactly(fs::path const& folder, File const& stated, std::span<std::byte> to) {
  OpenFile file(folder / stated.name);
  TRY(file.status());
  Checksum checksum;
  constexpr size_t kPiece = 1 << 20;  // summed while it is in the cache
  size_t got = 0;
  for (size_t count = 1; got < to.size() && count > 0; got += count) {
    auto piece = to.subspan(got, std::min(kPiece, to.size() - got));
    count = file.read(piece);
    checksum.add(piece.first(count));
  }
  TRY(file.status());
  std::byte more{};
  if (got < to.size())
    return damaged(stated,
                   "it has " + std::to_string(got) + " bytes of " + std::to_string(stated.bytes));
  if (file.read({&more, 1}) != 0)
    return damaged(stated, "it has more than its " + std::to_string(stated.bytes) + " bytes");
  if (checksum.finish() != stated.checksum) return damaged(stated, "its checksum is wrong");
  return {};
}

Result<std::string> read_description(fs::path const& folder) {
  OpenFile file(folder / "model.json");
  TRY(file.status());
  std::string text;
  std::byte piece[1 << 14];
  while (size_t count = file.read(piece)) {
    text.append(reinterpret_cast<char const*>(piece), count);
    if (text.size() > kMostDescriptionBytes)
      return bad_input("bad_package", "the description is too large to be one");
  }
  TRY(file.status());
  return text;
}

}  // namespace

Package::~Package() {
  for (void* memory : allocated_) processor_->release(memory);
}

Result<void*> Package::allocate(int64_t bytes) {
  TRY_ASSIGN(void* memory, processor_->allocate(std::max<int64_t>(bytes, 64)));
  allocated_.push_back(memory);
  return memory;
}

Status Package::load_parameters(fs::path const& folder) {
  // Read, not mapped: large pages, and a file that is cut off later harms nobody.
  TRY_ASSIGN(memory_.parameters, allocate(description_.parameters.bytes));
  return read_exactly(
      folder, description_.parameters,
      {static_cast<std::byte*>(memory_.parameters), size_t(description_.parameters.bytes)});
}

Status Package::load_library(fs::path const& folder) {
  constexpr int64_t kMost = int64_t(1) << 30;
  if (description_.library.bytes > kMost)
    return damaged(description_.library, "it would be too large");
  std::vector<std::byte> bytes(size_t(description_.library.bytes));
  TRY(read_exactly(folder, description_.library, bytes));
  TRY_ASSIGN(library_, processor_->load(bytes));  // the bytes that were checked
  return {};
}

Status Package::allocate_all() {
  for (Tensor const& tensor : description_.inputs) {
    TRY_ASSIGN(void* memory, allocate(tensor.bytes));
    memory_.inputs.push_back(memory);
  }
  for (Tensor const& tensor : description_.outputs) {
    TRY_ASSIGN(void* memory, allocate(tensor.bytes));
    memory_.outputs.push_back(memory);
  }
  TRY_ASSIGN(memory_.arena, allocate(description_.arena_bytes));
  TRY_ASSIGN(memory_.workspace, allocate(description_.workspace_bytes));
  return {};
}

Result<std::unique_ptr<Package>> Package::load(fs::path const& folder,
                                               std::unique_ptr<Processor> processor, int threads) {
  std::unique_ptr<Package> package(new Package(std::move(processor)));
  TRY_ASSIGN(std::string text, read_description(folder));
  TRY_ASSIGN(package->description_, parse_description(text));
  TRY(check_processor(package->description_.target));
  TRY(package->load_parameters(folder));
  TRY(package->load_library(folder));
  TRY(package->allocate_all());
  TRY_ASSIGN(package->steps_,
             BoundSteps::bind(package->description_.steps, *package->library_, package->memory_));
  package->processor_->use_threads(threads);
  return package;
}

Status Package::run() {
  return steps_->run([&](std::string const& symbol, void* kernel, void* const* buffers) -> Status {
    int32_t code = processor_->call(kernel, buffers);
    if (code == 0) return {};
    return refused("kernel_failed",
                   "the kernel '" + symbol + "' stopped with code " + std::to_string(code));
  });
}

}  // namespace tw::package
