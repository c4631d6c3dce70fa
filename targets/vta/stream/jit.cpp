#include "targets/vta/stream/jit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "targets/vta/hardware/abilities.h"
#include "targets/vta/stream/kernels.h"
#include "targets/vta/stream/token_pairs.h"
#include "targets/vta/stream/uop_cache.h"

namespace tw::vta {
namespace {

/// Besides what calls become: what puts out the done flag, the compute module's wait, and FINISH.
constexpr int64_t kBesides = 3;

bool moves(Call const& call) {
  return call.kind == CallKind::kLoad || call.kind == CallKind::kStore;
}

/// The larger one, field by field.
template <typename T>
void join(T& into, T const& other) {
  into = std::max(into, other);
}
void join(Factors& into, Factors const& from) {
  join(into.outer, from.outer), join(into.inner, from.inner);
}
void join(Tokens& into, Tokens const& from) {
  join(into.pop_prev, from.pop_prev), join(into.pop_next, from.pop_next);
  join(into.push_prev, from.push_prev), join(into.push_next, from.push_next);
}
void join(Transfer& into, Transfer const& from) {
  join(into.memory, from.memory), join(into.sram, from.sram), join(into.dram, from.dram);
  join(into.y_size, from.y_size), join(into.x_size, from.x_size);
  join(into.x_stride, from.x_stride);
  join(into.y_pad_before, from.y_pad_before), join(into.y_pad_after, from.y_pad_after);
  join(into.x_pad_before, from.x_pad_before), join(into.x_pad_after, from.x_pad_after);
  join(into.pad_value, from.pad_value), join(into.saturate, from.saturate);
}
void join(Nest& into, Nest const& from) {
  join(into.reset, from.reset), join(into.uop_begin, from.uop_begin);
  join(into.uop_end, from.uop_end), join(into.outer, from.outer), join(into.inner, from.inner);
  join(into.dst, from.dst), join(into.src, from.src), join(into.wgt, from.wgt);
}
/// All but the opcode and the immediate.
void join(Instruction& into, Instruction const& from) {
  join(into.tokens, from.tokens), join(into.transfer, from.transfer), join(into.nest, from.nest);
  join(into.alu, from.alu), join(into.use_immediate, from.use_immediate);
}

/// For each opcode an instruction with the largest number of each field, and of the one that has a
/// sign the least: these fit their fields only if all instructions do.
Stream largest_of(Stream const& stream) {
  constexpr size_t kOpcodes = size_t(Opcode::kAlu) + 1;
  std::array<std::optional<Instruction>, kOpcodes> low, high;
  for (Instruction const& one : stream) {
    size_t opcode = size_t(one.opcode);
    if (!low[opcode]) low[opcode] = high[opcode] = one;
    join(*low[opcode], one);
    low[opcode]->immediate = std::min(low[opcode]->immediate, one.immediate);
    high[opcode]->immediate = std::max(high[opcode]->immediate, one.immediate);
  }
  Stream all;
  for (size_t opcode = 0; opcode < kOpcodes; ++opcode) {
    if (!low[opcode]) continue;
    all.push_back(*low[opcode]);
    all.push_back(*low[opcode]);
    all.back().immediate = high[opcode]->immediate;
  }
  return all;
}

MicroOp largest_of(std::span<MicroOp const> uops) {
  MicroOp all{};
  for (MicroOp const& one : uops)
    join(all.dst, one.dst), join(all.src, one.src), join(all.wgt, one.wgt);
  return all;
}

/// No instruction of a transfer reaches beyond its tensor, on a board least of all.
Status check_transfer(CallProgram const& program, Call const& call) {
  Transfer const& t = call.transfer;
  bool loads = call.kind == CallKind::kLoad;
  bool known = loads ? t.memory != Memory::kUop && t.memory != Memory::kOut
                     : t.memory == Memory::kOut && t.rows() == t.y_size && t.columns() == t.x_size;
  if (!known || call.tensor < 0 || size_t(call.tensor) >= program.tensors.size())
    return bad_input("bad_kernel", "there is no such transfer, or no such tensor");
  Configuration const& configuration = program.configuration;
  CallTensor const& tensor = program.tensors[size_t(call.tensor)];
  if (!loads && !tensor.written)
    return bad_input("bad_kernel", fmt::format("it stores to '{}', which the kernel does not write",
                                               tensor.name));
  constexpr uint64_t kMost = uint64_t(1) << 40;
  uint64_t has = uint64_t(tensor.bytes / configuration.element_bytes_in_dram(t.memory));
  uint64_t end = 0;
  if (!t.nothing()) end = std::min(t.dram, kMost) + uint64_t(t.y_size - 1) * t.x_stride + t.x_size;
  if (end > has)
    return bad_input("outside_tensor", fmt::format("it reaches element {} of '{}', which has {}",
                                                   end - 1, tensor.name, has));
  if (loads ? fills_nothing(configuration, t) : t.nothing()) return {};
  int64_t depth = configuration.depth(loads ? t.memory : Memory::kOut);
  if (t.rows() > depth || t.columns() > depth || t.sram + t.rows() * t.columns() > depth)
    return bad_input("sram_overflow",
                     fmt::format("{} elements at {} are more than {} has: {}",
                                 t.rows() * t.columns(), t.sram, to_text(t.memory), depth));
  return {};
}

class BatchMaker {
public:
  BatchMaker(CallProgram const& program, Addresses const& addresses, JitOptions const& options,
             ProgramKernels kernels, std::vector<TokenPartners> partners)
      : program_(program),
        addresses_(addresses),
        options_(options),
        kernels_(std::move(kernels)),
        partners_(std::move(partners)),
        batch_of_(program.calls.size(), -1),
        spans_(program.calls.size()) {}

  Result<std::vector<Batch>> make() && {
    begin();
    for (size_t i = 0; i < program_.calls.size(); ++i) {
      if (!fits(i)) {
        if (!batches_.back().stream.empty()) begin();
        if (!fits(i))
          return bad_input("stream_too_long",
                           fmt::format("call {} alone is longer than one run may be", i));
      }
      TRY(add(i));
    }
    for (size_t i = 0; i < program_.calls.size(); ++i) set_tokens(i);
    for (Batch& batch : batches_) finish(batch);
    for (Batch const& batch : batches_) TRY(check(batch));
    return std::move(batches_);
  }

private:
  /// The first and the last instruction that carries out a call.
  struct Span {
    size_t first = 0, last = 0;
  };

  void begin() {
    batches_.emplace_back();
    cache_.emplace(program_.configuration.depth(Memory::kUop));
    area_of_.assign(kernels_.kernels.size(), -1);
    load_ahead_ = have_room_together();
  }

  /// Of all kernels of the program, in the cache and in the batch's area.
  bool have_room_together() const {
    int64_t uops = 0;
    for (auto const& kernel : kernels_.kernels) uops += int64_t(kernel.size());
    return uops > 0 && uops <= std::min(program_.configuration.depth(Memory::kUop),
                                        std::min<int64_t>(options_.most_uops, UINT16_MAX));
  }

  CallPieces const* pieces(size_t call) const {
    int32_t index = kernels_.pieces_of_call[call];
    return index < 0 ? nullptr : &kernels_.pieces[size_t(index)];
  }

  /// Where the batch ends if the call is in it, at most.
  bool fits(size_t call) const {
    Batch const& batch = batches_.back();
    int64_t instructions = 1, uops = 0;
    if (CallPieces const* made = pieces(call)) {
      instructions = 2 * int64_t(made->nests.size());
      for (int32_t kernel : made->kernels)
        if (area_of_[size_t(kernel)] < 0) uops += int64_t(kernels_.kernels[size_t(kernel)].size());
    }
    return int64_t(batch.stream.size()) + instructions + kBesides <= options_.most_instructions &&
           int64_t(batch.uops.size()) + uops <= options_.most_uops;
  }

  void append(Instruction const& instruction, int32_t call) {
    batches_.back().stream.push_back(instruction);
    batches_.back().call_of.push_back(call);
  }

  /// An instruction that the hardware does not have would be left out, or do something else.
  Status check_ability(size_t index) const {
    Call const& call = program_.calls[index];
    Instruction probe{.opcode = call.kind == CallKind::kLoad  ? Opcode::kLoad
                                : call.kind == CallKind::kAlu ? Opcode::kAlu
                                                              : Opcode::kStore,
                      .tokens = {},
                      .transfer = call.transfer,
                      .nest = {},
                      .alu = call.alu};
    auto able = check_abilities(program_.configuration, probe);
    if (!able) able.error().message = fmt::format("call {}: {}", index, able.error().message);
    return able;
  }

  Status add(size_t index) {
    Call const& call = program_.calls[index];
    TRY(check_ability(index));
    Span& span = spans_[index];
    batch_of_[index] = int32_t(batches_.size()) - 1;
    if (moves(call)) {
      TRY_ASSIGN(Instruction instruction, transfer(index));
      append(instruction, int32_t(index));
      span.first = span.last = batches_.back().stream.size() - 1;
      return {};
    }
    CallPieces const& made = *pieces(index);
    for (size_t i = 0; i < made.nests.size(); ++i) {
      Instruction instruction{
          .opcode = Opcode::kGemm, .tokens = {}, .transfer = {}, .nest = made.nests[i]};
      if (call.kind == CallKind::kAlu) {
        instruction.opcode = Opcode::kAlu, instruction.alu = call.alu;
        instruction.use_immediate = call.use_immediate;
        if (call.use_immediate) instruction.immediate = call.immediate;
      }
      int64_t place = resident(made.kernels[i], int32_t(index));
      instruction.nest.uop_begin = uint32_t(place);
      instruction.nest.uop_end =
          uint32_t(place) + uint32_t(kernels_.kernels[size_t(made.kernels[i])].size());
      append(instruction, int32_t(index));
      span.last = batches_.back().stream.size() - 1;
      if (i == 0) span.first = span.last;
    }
    return {};
  }

  Result<Instruction> transfer(size_t index) {
    Call const& call = program_.calls[index];
    auto at_call = [index](Error error) {
      error.message = fmt::format("call {}: {}", index, error.message);
      return std::unexpected(std::move(error));
    };
    if (auto good = check_transfer(program_, call); !good) return at_call(good.error());
    Instruction instruction{.opcode = call.kind == CallKind::kLoad ? Opcode::kLoad : Opcode::kStore,
                            .tokens = {},
                            .transfer = call.transfer,
                            .nest = {}};
    auto bytes = uint64_t(program_.configuration.element_bytes_in_dram(call.transfer.memory));
    uint64_t address = addresses_.tensors[size_t(call.tensor)];
    if (address % bytes != 0)
      return at_call(
          {"misaligned",
           fmt::format("'{}' lies at address {}, which is no multiple of the {} bytes of "
                       "an element",
                       program_.tensors[size_t(call.tensor)].name, address, bytes),
           {},
           Fault::kRefused});
    instruction.transfer.dram += address / bytes;
    return instruction;
  }

  /// Where the kernel lies in the cache; it is loaded before where it does not. That waits for no
  /// token: nobody else touches micro-ops.
  int64_t resident(int32_t kernel, int32_t call) {
    if (load_ahead_) load_all(call);
    if (auto place = cache_->find(kernel)) return *place;
    Batch& batch = batches_.back();
    std::vector<MicroOp> const& uops = kernels_.kernels[size_t(kernel)];
    int64_t& area = area_of_[size_t(kernel)];
    if (area < 0) {
      area = int64_t(batch.uops.size());
      batch.uops.insert(batch.uops.end(), uops.begin(), uops.end());
    }
    int64_t place = cache_->place(kernel, int64_t(uops.size()));
    append(load_of(place, area, uint32_t(uops.size())), call);
    return place;
  }

  /// One LOAD of all kernels, while compute has nothing to do yet: loads of their own would wait
  /// for those of data at the port, each when its first call comes.
  void load_all(int32_t call) {
    load_ahead_ = false;
    Batch& batch = batches_.back();
    for (size_t kernel = 0; kernel < kernels_.kernels.size(); ++kernel) {
      std::vector<MicroOp> const& uops = kernels_.kernels[kernel];
      area_of_[kernel] = cache_->place(int64_t(kernel), int64_t(uops.size()));
      batch.uops.insert(batch.uops.end(), uops.begin(), uops.end());
    }
    append(load_of(0, 0, uint32_t(batch.uops.size())), call);
  }

  /// Micro-ops of the batch's area, into the accelerator's memory.
  Instruction load_of(int64_t place, int64_t area, uint32_t count) const {
    uint64_t base = addresses_.uops / uint64_t(program_.configuration.uop_bytes());
    return {.opcode = Opcode::kLoad,
            .tokens = {},
            .transfer = {.memory = Memory::kUop,
                         .sram = uint32_t(place),
                         .dram = base + uint64_t(area),
                         .y_size = 1,
                         .x_size = count,
                         .x_stride = count},
            .nest = {}};
  }

  /// Pops before the first instruction of a call, pushes after the last; only those whose other end
  /// is in the same batch.
  void set_tokens(size_t index) {
    TokenPartners const& partner = partners_[index];
    auto here = [&](int32_t other) {
      return other >= 0 && batch_of_[size_t(other)] == batch_of_[index];
    };
    Stream& stream = batches_[size_t(batch_of_[index])].stream;
    Tokens& first = stream[spans_[index].first].tokens;
    first.pop_prev = here(partner.pop_prev), first.pop_next = here(partner.pop_next);
    Tokens& last = stream[spans_[index].last].tokens;
    last.push_prev = here(partner.push_prev), last.push_next = here(partner.push_next);
  }

  /// Compute waits for the last load and the last store, unless it did so already: whoever pops
  /// what they push.
  void finish(Batch& batch) {
    Tokens wait;
    auto last_of = [&](Module module) -> Instruction* {
      auto last = std::find_if(batch.stream.rbegin(), batch.stream.rend(),
                               [&](Instruction const& i) { return module_of(i) == module; });
      return last == batch.stream.rend() ? nullptr : &*last;
    };
    if (Instruction* load = last_of(Module::kLoad); load && !load->tokens.push_next)
      load->tokens.push_next = wait.pop_prev = true;
    if (Instruction* store = last_of(Module::kStore); store && !store->tokens.push_prev)
      store->tokens.push_prev = wait.pop_next = true;
    put_out_done(batch);
    // FINISH cannot wait for tokens itself: the published hardware pops none with it.
    if (wait != Tokens{}) batch.stream.push_back(nothing(wait));
    batch.stream.push_back({});
    batch.call_of.resize(batch.stream.size(), -1);
  }

  /// The compute module shows the done flag of the run before until its first instruction begins:
  /// that one waits for nobody, so that the flag goes as soon as instructions are fetched.
  void put_out_done(Batch& batch) {
    auto first = std::ranges::find(batch.stream, Module::kCompute,
                                   [](Instruction const& i) { return module_of(i); });
    if (first != batch.stream.end() && !first->tokens.pop_prev && !first->tokens.pop_next) return;
    batch.stream.insert(batch.stream.begin(), nothing({}));
    batch.call_of.insert(batch.call_of.begin(), -1);
  }

  /// An instruction of the compute module that only has tokens.
  static Instruction nothing(Tokens const& tokens) {
    return {.opcode = Opcode::kLoad,
            .tokens = tokens,
            .transfer = {.memory = Memory::kUop},
            .nest = {}};
  }

  /// Everything fits its field.
  Status check(Batch const& batch) const {
    if (encode(program_.configuration, largest_of(batch.stream)) &&
        encode(program_.configuration, largest_of(batch.uops)))
      return {};
    if (auto encoded = encode(program_.configuration, batch.stream); !encoded)
      return std::unexpected(encoded.error());
    for (MicroOp const& uop : batch.uops)
      if (auto encoded = encode(program_.configuration, uop); !encoded)
        return std::unexpected(encoded.error());
    return {};
  }

  CallProgram const& program_;
  Addresses const& addresses_;
  JitOptions const& options_;
  ProgramKernels kernels_;
  std::vector<TokenPartners> partners_;
  std::vector<Batch> batches_;
  std::vector<int32_t> batch_of_;
  std::vector<Span> spans_;
  std::optional<UopCache> cache_;
  bool load_ahead_ = false;       ///< what the batch's first kernel brings all others along
  std::vector<int64_t> area_of_;  ///< per kernel: where its micro-ops lie in the batch's area
};

}  // namespace

Result<std::vector<Batch>> make_batches(CallProgram const& program, Addresses const& addresses,
                                        JitOptions const& options) {
  TRY(validate(program.configuration));
  if (addresses.tensors.size() != program.tensors.size())
    return bad_input("bad_kernel",
                     fmt::format("the kernel '{}' has {} tensors, not {}", program.symbol,
                                 program.tensors.size(), addresses.tensors.size()));
  if (addresses.uops % uint64_t(program.configuration.uop_bytes()) != 0)
    return refused("misaligned", "the area of micro-ops lies at no multiple of a micro-op");
  TRY_ASSIGN(std::vector<TokenPartners> partners, token_partners(program.calls));
  TRY_ASSIGN(ProgramKernels kernels,
             make_kernels(program, options.most_instructions, options.most_uops));
  return BatchMaker(program, addresses, options, std::move(kernels), std::move(partners)).make();
}

std::vector<int64_t> tensor_alignments(CallProgram const& program) {
  std::vector<int64_t> alignments(program.tensors.size(), 1);
  for (Call const& call : program.calls)
    if (moves(call) && call.tensor >= 0 && size_t(call.tensor) < alignments.size())
      alignments[size_t(call.tensor)] =
          std::max(alignments[size_t(call.tensor)],
                   program.configuration.element_bytes_in_dram(call.transfer.memory));
  return alignments;
}

}  // namespace tw::vta
