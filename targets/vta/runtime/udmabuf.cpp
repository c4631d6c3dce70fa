#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/support/files.h"
#include "targets/vta/hardware/words.h"
#include "targets/vta/runtime/contiguous_memory.h"

namespace tw::vta {
namespace {

namespace fs = std::filesystem;

class UdmabufMemory final : public ContiguousMemory {
public:
  explicit UdmabufMemory(ContiguousRegion region) : region_(region) {}
  ~UdmabufMemory() override { munmap(region_.host.data(), region_.host.size()); }
  std::span<ContiguousRegion const> regions() const override { return {&region_, 1}; }

private:
  ContiguousRegion region_;
};

Result<uint64_t> fact(fs::path const& file) {
  TRY_ASSIGN(std::string text, read_file(file, 4096));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  auto number = whole_number(text);
  if (number) return *number;
  return environment_failed("no_such_hardware", fmt::format("{} holds no number", file.string()));
}

}  // namespace

Result<std::unique_ptr<ContiguousMemory>> open_udmabuf(fs::path const& device,
                                                       fs::path const& facts) {
  auto missing = [&](std::string const& why) {
    return environment_failed("no_such_hardware",
                              fmt::format("{} gives no memory: {}", device.string(), why));
  };
  auto physical = fact(facts / "phys_addr"), bytes = fact(facts / "size");
  if (!physical) return missing(physical.error().message);
  if (!bytes) return missing(bytes.error().message);
  if (*bytes < 4096 || *bytes > uint64_t(1) << 32) return missing("its size cannot be");
  // O_SYNC: the driver then maps without cache, and nothing is left to flush.
  int file = open(device.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
  if (file < 0) return missing(std::strerror(errno));
  void* memory = mmap(nullptr, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return missing(std::strerror(errno));
  return std::make_unique<UdmabufMemory>(
      ContiguousRegion{{static_cast<std::byte*>(memory), size_t(*bytes)}, *physical});
}

}  // namespace tw::vta
