// The text of call programs. It comes over the network: every number and count is checked.
#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "targets/vta/hardware/description.h"
#include "targets/vta/hardware/words.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta {
namespace {

constexpr std::string_view kHead = "tilewright vta kernel 1";
constexpr std::string_view kLibraryHead = "tilewright vta library 1";
constexpr size_t kMostTensors = 4096, kMostLoops = 16, kMostPrograms = 1 << 20;
/// Of numbers whose products are made: sums of a few of them stay within 64 bits.
constexpr int64_t kMostIndex = int64_t(1) << 24;
constexpr int64_t kMostBytes = int64_t(1) << 40;

std::unexpected<Error> bad(std::string sentence) {
  return bad_input("bad_kernel", std::move(sentence));
}

std::string quoted(std::string_view text) { return fmt::format("'{}'", text.substr(0, 80)); }

template <typename T>
Status read(std::string_view value, int64_t low, int64_t high, T& into) {
  auto number = signed_number(value);
  if (!number || *number < low || *number > high)
    return bad(fmt::format("{} is not an integer from {} to {}", quoted(value), low, high));
  into = T(*number);
  return {};
}

/// "1,2,3,4"
template <size_t N>
Status read_list(std::string_view value, int64_t low, int64_t high, std::array<int64_t, N>& list) {
  for (size_t i = 0; i < N; ++i) {
    size_t comma = value.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == N))
      return bad(fmt::format("{} numbers with commas between them are wanted here", N));
    TRY(read(value.substr(0, comma), low, high, list[i]));
    if (comma != std::string_view::npos) value.remove_prefix(comma + 1);
  }
  return {};
}

template <typename Enum>
Status read_name(std::string_view text, std::initializer_list<Enum> all, Enum& into) {
  for (Enum one : all)
    if (to_text(one) == text) {
      into = one;
      return {};
    }
  return bad(fmt::format("there is no {} here", quoted(text)));
}

bool moves(Call const& call) {
  return call.kind == CallKind::kLoad || call.kind == CallKind::kStore;
}

bool set_flag(std::string_view word, Call& call) {
  bool* flag = word == "pop_prev"                                    ? &call.tokens.pop_prev
               : word == "pop_next"                                  ? &call.tokens.pop_next
               : word == "push_prev"                                 ? &call.tokens.push_prev
               : word == "push_next"                                 ? &call.tokens.push_next
               : word == "reset" && call.kind == CallKind::kGemm     ? &call.reset
               : word == "saturate" && call.kind == CallKind::kStore ? &call.transfer.saturate
                                                                     : nullptr;
  if (flag) *flag = true;
  return flag != nullptr;
}

Status set_pads(std::string_view value, Transfer& transfer) {
  std::array<int64_t, 4> pads{};
  TRY(read_list(value, 0, 255, pads));
  transfer.y_pad_before = uint32_t(pads[0]), transfer.y_pad_after = uint32_t(pads[1]);
  transfer.x_pad_before = uint32_t(pads[2]), transfer.x_pad_after = uint32_t(pads[3]);
  return {};
}

Status set_transfer(std::string_view name, std::string_view value, Call& call) {
  Transfer& transfer = call.transfer;
  if (name == "tensor") return read(value, 0, int64_t(kMostTensors) - 1, call.tensor);
  if (name == "sram") return read(value, 0, kMostIndex, transfer.sram);
  if (name == "dram") return read(value, 0, kMostBytes, transfer.dram);
  if (name == "y") return read(value, 0, kMostIndex, transfer.y_size);
  if (name == "x") return read(value, 0, kMostIndex, transfer.x_size);
  if (name == "stride") return read(value, 0, kMostIndex, transfer.x_stride);
  if (name == "pad") return set_pads(value, transfer);
  if (name != "pad_value") return bad(fmt::format("a transfer has no {}", quoted(name)));
  if (value != "lowest" && value != "highest")
    return bad(fmt::format("{} is neither 'lowest' nor 'highest'", quoted(value)));
  transfer.pad_value = value == "lowest" ? PadValue::kLowest : PadValue::kHighest;
  return {};
}

Status set_nest(std::string_view name, std::string_view value, Call& call) {
  if (name == "dst") return read(value, -kMostIndex, kMostIndex, call.dst);
  if (name == "src") return read(value, -kMostIndex, kMostIndex, call.src);
  if (name == "wgt" && call.kind == CallKind::kGemm)
    return read(value, -kMostIndex, kMostIndex, call.wgt);
  if (name == "imm" && call.kind == CallKind::kAlu) {
    call.use_immediate = true;
    return read(value, -32768, 32767, call.immediate);
  }
  if (name != "loop") return bad(fmt::format("a computation has no {}", quoted(name)));
  if (call.loops.size() == kMostLoops)
    return bad(fmt::format("a call has at most {} loops", kMostLoops));
  std::array<int64_t, 4> loop{};
  TRY(read_list(value, -kMostIndex, kMostIndex, loop));
  if (loop[0] < 1) return bad(fmt::format("a loop runs at least once, not {} times", loop[0]));
  call.loops.push_back({loop[0], loop[1], loop[2], loop[3]});
  return {};
}

Status read_field(Word const& word, Call& call) {
  if (set_flag(word.text, call)) return {};
  auto field = name_and_value(word.text);
  if (!field) return bad(fmt::format("unexpected {}", quoted(word.text)));
  if (field->name == "line") return read(field->value, 0, INT32_MAX, call.line);
  return moves(call) ? set_transfer(field->name, field->value, call)
                     : set_nest(field->name, field->value, call);
}

/// The first words say what is called.
Result<Call> read_call(std::span<Word const> words) {
  Call call;
  std::string_view kind = words[0].text;
  if (kind != "load" && kind != "store" && kind != "gemm" && kind != "alu")
    return bad(fmt::format("there is no call {}", quoted(kind)));
  call.kind = kind == "load"    ? CallKind::kLoad
              : kind == "store" ? CallKind::kStore
              : kind == "gemm"  ? CallKind::kGemm
                                : CallKind::kAlu;
  size_t next = 1;
  if (kind != "gemm") {
    if (words.size() < 2) return bad(fmt::format("{} of what?", quoted(kind)));
    std::string_view what = words[next++].text;
    if (kind == "load")
      TRY(read_name(what, {Memory::kInp, Memory::kWgt, Memory::kAcc, Memory::kAccByte},
                    call.transfer.memory));
    if (kind == "store") TRY(read_name(what, {Memory::kOut}, call.transfer.memory));
    if (kind == "alu")
      TRY(read_name(what,
                    {AluOp::kMin, AluOp::kMax, AluOp::kAdd, AluOp::kShr, AluOp::kMul, AluOp::kClip,
                     AluOp::kMove, AluOp::kMulByte},
                    call.alu));
  }
  for (; next < words.size(); ++next) TRY(read_field(words[next], call));
  return call;
}

Result<CallTensor> read_tensor(std::span<Word const> words) {
  if (words.size() != 3 && words.size() != 4)
    return bad("a tensor is 'tensor NAME bytes=N', with 'written' where kernels write it");
  CallTensor tensor{.name = std::string(words[1].text)};
  auto bytes = name_and_value(words[2].text);
  if (!bytes || bytes->name != "bytes") return bad("a tensor has 'bytes='");
  TRY(read(bytes->value, 0, kMostBytes, tensor.bytes));
  tensor.written = words.size() == 4;
  if (tensor.written && words[3].text != "written")
    return bad(fmt::format("unexpected {}", quoted(words[3].text)));
  return tensor;
}

/// Line after line; a program is open from its head to its "end".
class Reader {
public:
  Status line(std::string_view text, int number) {
    std::vector<Word> words = words_of(text);
    if (words.empty()) return {};
    if (text == kHead) return begin();
    if (text == kLibraryHead && number == 1) return {};
    if (!open_)
      return bad(fmt::format("a kernel begins with '{}', not with {}", kHead, quoted(text)));
    return inside(text, words);
  }
  Result<std::vector<CallProgram>> finish() {
    if (open_)
      return bad(
          fmt::format("the kernel '{}' is cut off: it has no 'end'", programs_.back().symbol));
    return std::move(programs_);
  }

private:
  Status begin() {
    if (open_) return bad("a kernel begins before the one above has its 'end'");
    if (programs_.size() == kMostPrograms) return bad("the library has too many kernels");
    programs_.emplace_back();
    open_ = true, has_configuration_ = false;
    return {};
  }

  Status inside(std::string_view text, std::span<Word const> words) {
    CallProgram& program = programs_.back();
    std::string_view first = words[0].text;
    if (first == "symbol") {
      if (words.size() != 2 || !program.symbol.empty()) return bad("a kernel has one symbol");
      program.symbol = words[1].text;
      return {};
    }
    if (first == "configuration") return configure(text.substr(size_t(words[0].column) + 12));
    if (first == "end") return end();
    if (!has_configuration_) return bad("a kernel's configuration must come before its tensors");
    if (first == "tensor") {
      if (!program.calls.empty()) return bad("tensors must come before calls");
      if (program.tensors.size() == kMostTensors)
        return bad(fmt::format("a kernel has at most {} tensors", kMostTensors));
      TRY_ASSIGN(CallTensor tensor, read_tensor(words));
      program.tensors.push_back(std::move(tensor));
      return {};
    }
    TRY_ASSIGN(Call call, read_call(words));
    if (moves(call) && size_t(call.tensor) >= program.tensors.size())
      return bad(fmt::format("there is no tensor {}: the kernel has {}", call.tensor,
                             program.tensors.size()));
    program.calls.push_back(std::move(call));
    return {};
  }

  Status configure(std::string_view text) {
    if (has_configuration_) return bad("a kernel has one configuration");
    auto read = configuration_of_line(text);
    if (!read) return bad(read.error().message);
    programs_.back().configuration = std::move(*read);
    has_configuration_ = true;
    return {};
  }

  Status end() {
    CallProgram const& program = programs_.back();
    if (program.symbol.empty() || !has_configuration_)
      return bad("a kernel has a symbol and a configuration");
    open_ = false;
    return {};
  }

  std::vector<CallProgram> programs_;
  bool open_ = false, has_configuration_ = false;
};

}  // namespace

Result<std::vector<CallProgram>> parse_call_programs(std::string_view text) {
  Reader reader;
  int number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    size_t end = std::min(text.find('\n', at), text.size());
    if (auto read = reader.line(text.substr(at, end - at), number); !read) {
      Error error = read.error();
      error.place.line = number;
      return std::unexpected(std::move(error));
    }
    at = end + 1;
  }
  return reader.finish();
}

}  // namespace tw::vta
