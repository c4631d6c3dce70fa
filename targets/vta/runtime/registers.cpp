#include "targets/vta/runtime/registers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

namespace tw::vta {
namespace {

std::array<uint64_t, 4> four(uint64_t first, uint64_t step) {
  return {first, first + step, first + 2 * step, first + 3 * step};
}

class MappedRegisters final : public Registers {
public:
  ~MappedRegisters() override {
    for (auto const& [address, memory] : blocks_) munmap(memory, kBlockBytes);
  }

  Status map(int file, uint64_t address) {
    if (blocks_.contains(address)) return {};
    void* memory =
        mmap64(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, off64_t(address));
    if (memory == MAP_FAILED)
      return environment_failed("no_such_hardware",
                                fmt::format("the registers at {:#x} cannot be mapped: {}", address,
                                            std::strerror(errno)));
    blocks_[address] = memory;
    return {};
  }
  uint32_t read32(uint64_t address) override { return *at(address); }
  void write32(uint64_t address, uint32_t value) override { *at(address) = value; }

private:
  uint32_t volatile* at(uint64_t address) {
    uint64_t inside = address % kBlockBytes;
    return static_cast<uint32_t volatile*>(blocks_.at(address - inside)) + inside / 4;
  }
  std::map<uint64_t, void*> blocks_;
};

}  // namespace

Result<BoardLayout> layout_of(std::string_view board) {
  if (board.starts_with("pynq")) return BoardLayout{.blocks = four(0x43C0'0000, 0x1000)};
  if (board.starts_with("ultra96") || board.starts_with("zcu104"))
    return BoardLayout{.blocks = four(0xA000'0000, 0x1000)};
  if (board.starts_with("de10nano"))
    return BoardLayout{.file = RegisterFile::kOneBlock,
                       .blocks = four(0xFF22'0000, 0x1000),
                       .bus_offset = 0x8000'0000};
  return environment_failed("no_such_hardware",
                            fmt::format("no board's registers are known for '{}'", board));
}

Result<std::unique_ptr<Registers>> map_registers(BoardLayout const& layout, char const* file) {
  int memory = open(file, O_RDWR | O_SYNC | O_CLOEXEC);
  if (memory < 0)
    return environment_failed("no_such_hardware",
                              fmt::format("{} cannot be opened: {}", file, std::strerror(errno)));
  auto registers = std::make_unique<MappedRegisters>();
  Status mapped;
  for (uint64_t block : layout.blocks)
    if (mapped) mapped = registers->map(memory, block);
  close(memory);
  TRY(mapped);
  return registers;
}

}  // namespace tw::vta
