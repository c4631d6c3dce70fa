#include "targets/vta/hardware/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

/// Larger memories, queues and elements than any device has would only exhaust this machine.
constexpr int kMostLogBufferBytes = 26;
constexpr int kPageBytes = 4096;
constexpr int kMostQueue = 1 << 16;

/// log2 of the bits of one element.
int log_element_bits(Configuration const& c, Memory memory) {
  switch (memory) {
    case Memory::kUop:
      return c.isa == IsaVersion::kV1 ? 5 : 6;
    case Memory::kWgt:
      return 2 * c.log_block + c.log_wgt_bits;
    case Memory::kInp:
    case Memory::kOut:
      return c.log_batch + c.log_block + c.log_inp_bits;
    case Memory::kAcc:
    case Memory::kAccByte:
      return c.log_batch + c.log_block + c.log_acc_bits;
  }
  TW_ASSERT(false, "every memory has elements");
}

int log_buffer_bytes(Configuration const& c, Memory memory) {
  switch (memory) {
    case Memory::kUop:
      return c.log_uop_bytes;
    case Memory::kWgt:
      return c.log_wgt_bytes;
    case Memory::kInp:
      return c.log_inp_bytes;
    case Memory::kAcc:
    case Memory::kAccByte:
      return c.log_acc_bytes;
    case Memory::kOut:
      return c.log_acc_bytes + c.log_inp_bits - c.log_acc_bits;
  }
  TW_ASSERT(false, "every memory has a size");
}

std::unexpected<Error> illegal(std::string sentence) {
  return bad_input("illegal_configuration", std::move(sentence));
}

Status check_range(std::string_view what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return {};
  return illegal(
      fmt::format("{} is {}, which must be {} to {}: choose one of those", what, value, low, high));
}

/// What is broken, in the order in which it was found.
class Violations {
public:
  void add(Status status) {
    if (!status) found_.push_back(std::move(status).error());
  }
  bool none() const { return found_.empty(); }
  std::vector<Error> take() { return std::move(found_); }

private:
  std::vector<Error> found_;
};

Status check_port(Configuration const& c) {
  TRY(check_range("memory_bits", c.memory_bits, 8, 4096));
  if (!std::has_single_bit(unsigned(c.memory_bits)))
    return illegal(fmt::format("memory_bits is {}, which must be a power of two: choose {}",
                               c.memory_bits, std::bit_ceil(unsigned(c.memory_bits))));
  return {};
}

Status check_clock(Configuration const& c) {
  if (c.clock_mhz >= 1e-3 && c.clock_mhz <= 1e5) return {};
  return illegal(fmt::format("clock_mhz is {}, which must be 0.001 to 100000: choose one of those",
                             c.clock_mhz));
}

/// Before anything is derived: shifts by what is in range are defined.
void check_ranges(Configuration const& c, Violations& found) {
  found.add(check_range("isa", int(c.isa), 1, 2));
  // Operands are signed: one of a single bit would have no positive value.
  found.add(check_range("log_inp_bits", c.log_inp_bits, 1, 3));
  found.add(check_range("log_wgt_bits", c.log_wgt_bits, 1, 3));
  found.add(check_range("log_acc_bits", c.log_acc_bits, 3, 5));
  found.add(check_range("log_batch", c.log_batch, 0, 12));
  found.add(check_range("log_block", c.log_block, 0, 6));
  found.add(check_range("log_uop_bytes", c.log_uop_bytes, 0, kMostLogBufferBytes));
  found.add(check_range("log_inp_bytes", c.log_inp_bytes, 0, kMostLogBufferBytes));
  found.add(check_range("log_wgt_bytes", c.log_wgt_bytes, 0, kMostLogBufferBytes));
  found.add(check_range("log_acc_bytes", c.log_acc_bytes, 0, kMostLogBufferBytes));
  found.add(check_range("command_queue", c.command_queue, 1, kMostQueue));
  found.add(check_range("token_queue", c.token_queue, 1, kMostQueue));
  found.add(check_range("shift_bits", c.shift_bits, 2, 32));
  found.add(check_port(c));
  found.add(check_clock(c));
}

/// An element is whole bytes and no larger than a page, and its memory holds at least two.
Status check_element(Configuration const& c, Memory memory) {
  int log_bits = log_element_bits(c, memory);
  std::string_view name = to_text(memory);
  if (log_bits < 3)
    return illegal(fmt::format(
        "an element of {} has {} bits, which is no whole byte: make log_batch or log_block larger",
        name, 1 << log_bits));
  if (log_bits - 3 > 12)
    return illegal(fmt::format(
        "an element of {} has {} bytes, which is more than a page of {}: make log_batch or "
        "log_block smaller",
        name, int64_t(1) << (log_bits - 3), kPageBytes));
  if (int depth = c.log_depth(memory); depth < 1)
    return illegal(
        fmt::format("{} holds less than two elements of {} bytes: make log_{}_bytes at least {}",
                    name, int64_t(1) << (log_bits - 3), memory == Memory::kOut ? "acc" : name,
                    log_buffer_bytes(c, memory) + 1 - depth));
  return {};
}

/// Fields share words: their widths must not sum up to more bits than there are.
Status check_sum(std::string_view place, std::string_view inequality, std::string_view numbers,
                 int sum, int bits, std::string_view repair) {
  if (sum <= bits) return {};
  return illegal(fmt::format("{} do not fit {} bits: {} = {} = {} > {}: make {} smaller", place,
                             bits, inequality, numbers, sum, bits, repair));
}

void check_fields_v1(Configuration const& c, Violations& found) {
  Widths w = widths_of(c);
  found.add(check_sum("the fields of a micro-op", "acc + max(acc, inp) + wgt",
                      fmt::format("{} + {} + {}", w.dst, w.uop_src, w.wgt),
                      w.dst + w.uop_src + w.wgt, 32,
                      "log_acc_bytes, log_inp_bytes or log_wgt_bytes"));
  found.add(check_sum("the factors of a GEMM", "2 (acc + inp + wgt)",
                      fmt::format("2 ({} + {} + {})", w.dst, w.gemm_src, w.wgt),
                      2 * (w.dst + w.gemm_src + w.wgt), 64,
                      "log_acc_bytes, log_inp_bytes or log_wgt_bytes"));
  found.add(check_sum("the factors of an ALU instruction with its immediate", "4 acc + 20",
                      fmt::format("4 * {} + 20", w.dst), 4 * w.dst + 20, 64, "log_acc_bytes"));
  found.add(check_sum("the loops of a GEMM or ALU instruction", "8 + uop + (uop + 1) + 28",
                      fmt::format("8 + {} + {} + 28", w.uop, w.uop + 1), 8 + 2 * w.uop + 1 + 28, 64,
                      "log_uop_bytes"));
}

void check_fields_v2(Configuration const& c, Violations& found) {
  Widths w = widths_of(c);
  std::string_view sizes = "log_acc_bytes, log_inp_bytes or log_wgt_bytes";
  found.add(check_sum("the fields of a micro-op", "acc + max(acc, inp) + wgt",
                      fmt::format("{} + {} + {}", w.dst, w.uop_src, w.wgt),
                      w.dst + w.uop_src + w.wgt, 64, sizes));
  found.add(check_sum("the first factors of a GEMM", "2 acc + inp",
                      fmt::format("2 * {} + {}", w.dst, w.gemm_src), 2 * w.dst + w.gemm_src, 64,
                      "log_acc_bytes or log_inp_bytes"));
  found.add(check_sum("the last factors of a GEMM", "inp + 2 wgt",
                      fmt::format("{} + 2 * {}", w.gemm_src, w.wgt), w.gemm_src + 2 * w.wgt, 64,
                      "log_inp_bytes or log_wgt_bytes"));
  found.add(check_sum("the factors of an ALU instruction", "3 acc", fmt::format("3 * {}", w.dst),
                      3 * w.dst, 64, "log_acc_bytes"));
  found.add(check_sum("the micro-op range of an instruction", "8 + uop + (uop + 1)",
                      fmt::format("8 + {} + {}", w.uop, w.uop + 1), 8 + 2 * w.uop + 1, 64,
                      "log_uop_bytes"));
}

/// A place in SRAM is a field of LOAD and STORE, too.
Status check_depth(Configuration const& c, Memory memory) {
  int most = widths_of(c).sram;
  if (c.log_depth(memory) <= most) return {};
  return illegal(fmt::format(
      "the place in {} does not fit its field: log2 of {} elements = {} > {}: make log_{}_bytes "
      "at most {}",
      to_text(memory), c.depth(memory), c.log_depth(memory), most, to_text(memory),
      log_buffer_bytes(c, memory) - c.log_depth(memory) + most));
}

}  // namespace

std::string_view to_text(Memory memory) {
  switch (memory) {
    case Memory::kUop:
      return "uop";
    case Memory::kWgt:
      return "wgt";
    case Memory::kInp:
      return "inp";
    case Memory::kAcc:
      return "acc";
    case Memory::kOut:
      return "out";
    case Memory::kAccByte:
      return "acc8";
  }
  return "?";
}

int64_t Configuration::element_bytes(Memory memory) const {
  return (int64_t(1) << log_element_bits(*this, memory)) / 8;
}

int64_t Configuration::element_bytes_in_dram(Memory memory) const {
  // What was stored as OUT can be loaded into ACC.
  return element_bytes(memory == Memory::kAccByte ? Memory::kOut : memory);
}

int64_t Configuration::buffer_bytes(Memory memory) const {
  return int64_t(1) << log_buffer_bytes(*this, memory);
}

int Configuration::log_depth(Memory memory) const {
  return log_buffer_bytes(*this, memory) + 3 - log_element_bits(*this, memory);
}

std::string Configuration::key() const {
  return fmt::format("{}x{}_i{}w{}a{}_{}_{}_{}_{}{}", batch(), block(), 1 << log_inp_bits,
                     1 << log_wgt_bits, 1 << log_acc_bits, log_uop_bytes, log_inp_bytes,
                     log_wgt_bytes, log_acc_bytes, isa == IsaVersion::kV1 ? "" : "_v2");
}

std::vector<Error> violations(Configuration const& configuration) {
  Violations found;
  check_ranges(configuration, found);
  if (!found.none()) return found.take();
  if (configuration.log_acc_bits < configuration.log_inp_bits)
    found.add(
        illegal(fmt::format("log_acc_bits is {}, which is less than log_inp_bits = {}: make it "
                            "at least as large",
                            configuration.log_acc_bits, configuration.log_inp_bits)));
  for (Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kOut})
    found.add(check_element(configuration, memory));
  if (!found.none()) return found.take();
  if (configuration.isa == IsaVersion::kV1)
    check_fields_v1(configuration, found);
  else
    check_fields_v2(configuration, found);
  for (Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc})
    found.add(check_depth(configuration, memory));
  return found.take();
}

Status validate(Configuration const& configuration) {
  std::vector<Error> found = violations(configuration);
  if (found.empty()) return {};
  return std::unexpected(std::move(found.front()));
}

}  // namespace tw::vta
