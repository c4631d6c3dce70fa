#include "targets/vta/stream/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <unordered_map>

namespace tw::vta {
namespace {

/// Computations of the same loops, whatever they begin with, have the same choices.
struct Shape {
  std::vector<LoopChoice> choices;
  int64_t budget = 0;  ///< that the choices are for
  double uses = 1;     ///< of each kernel, on average
  int64_t calls = 0, computations = 0;
};

std::vector<int64_t> shape_key(Computation const& computation) {
  std::vector<int64_t> key{computation.gemm, computation.reset, computation.ordered};
  for (CallLoop const& loop : computation.loops)
    key.insert(key.end(), {loop.extent, loop.dst, loop.src, loop.wgt});
  return key;
}

/// What makes a computation, as numbers.
void put_key(Call const& call, std::vector<int64_t>& key) {
  bool reads = call.kind == CallKind::kAlu && !call.use_immediate;
  key.assign({call.kind == CallKind::kGemm, call.reset, reads, reads ? int64_t(call.alu) : 0,
              call.dst, call.src, call.wgt});
  for (CallLoop const& loop : call.loops)
    key.insert(key.end(), {loop.extent, loop.dst, loop.src, loop.wgt});
}

struct KeyHash {
  size_t operator()(std::vector<int64_t> const& key) const {
    uint64_t hash = key.size();
    for (int64_t number : key)
      hash = (hash ^ uint64_t(number)) * 0x9e3779b97f4a7c15u >> 7 ^ hash << 57;
    return size_t(hash);
  }
};

/// The time of loading kernels again where the least recently used ones had to go, roughly: by
/// sizes alone, not by places.
class LoadModel {
public:
  explicit LoadModel(int64_t depth) : depth_(depth) {}
  /// Whether it must be loaded.
  bool use(int32_t kernel, int64_t size) {
    auto found = at_.find(kernel);
    if (found != at_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return false;
    }
    recent_.emplace_front(kernel, size);
    at_[kernel] = recent_.begin();
    for (used_ += size; used_ > depth_; recent_.pop_back()) {
      used_ -= recent_.back().second;
      at_.erase(recent_.back().first);
    }
    return true;
  }

private:
  int64_t depth_, used_ = 0;
  std::list<std::pair<int32_t, int64_t>> recent_;
  std::unordered_map<int32_t, std::list<std::pair<int32_t, int64_t>>::iterator> at_;
};

class KernelMaker {
public:
  KernelMaker(CallProgram const& program, int64_t most_instructions, int64_t most_uops)
      : program_(program), most_instructions_(most_instructions), most_uops_(most_uops) {}

  Result<ProgramKernels> make() && {
    TRY(collect());
    int64_t depth = program_.configuration.depth(Memory::kUop);
    int64_t budget = std::min(depth, std::max<int64_t>(most_uops_, 1)), best = budget;
    double best_cycles = cycles_with(budget);
    for (budget /= 2; budget >= 16; budget /= 2)
      if (double cycles = cycles_with(budget); cycles < best_cycles)
        best = budget, best_cycles = cycles;
    TRY(write_out(best));
    return std::move(made_);
  }

private:
  static Error at_call(Error error, size_t call) {
    error.message = fmt::format("call {}: {}", call, error.message);
    return error;
  }

  Status collect() {
    std::unordered_map<std::vector<int64_t>, int32_t, KeyHash> known;  // calls that are alike
    std::vector<int64_t> key;
    made_.pieces_of_call.assign(program_.calls.size(), -1);
    for (size_t i = 0; i < program_.calls.size(); ++i) {
      Call const& call = program_.calls[i];
      if (call.kind != CallKind::kGemm && call.kind != CallKind::kAlu) continue;
      put_key(call, key);
      auto found = known.find(key);
      if (found == known.end()) {
        TRY_ASSIGN(int32_t computation, computation_for(i));
        found = known.emplace(key, computation).first;
      }
      ++shapes_[size_t(shape_of_[size_t(found->second)])].calls;
      made_.pieces_of_call[i] = found->second;
    }
    for (Shape& shape : shapes_) shape.uses = double(shape.calls) / double(shape.computations);
    return {};
  }

  /// The number of the call's computation, which other calls may have, too.
  Result<int32_t> computation_for(size_t index) {
    auto made = computation_of(program_.configuration, program_.calls[index]);
    if (!made) return std::unexpected(at_call(made.error(), index));
    std::vector<int64_t> key = shape_key(*made);
    int32_t shape = shape_numbers_.try_emplace(key, int32_t(shapes_.size())).first->second;
    shapes_.resize(shape_numbers_.size());
    key.insert(key.end(), {made->dst, made->src, made->wgt});
    auto [one, is_new] = numbers_.try_emplace(std::move(key), int32_t(computations_.size()));
    if (is_new) {
      computations_.push_back(std::move(*made));
      shape_of_.push_back(shape);
      first_call_.push_back(index);
      ++shapes_[size_t(shape)].computations;
    }
    return one->second;
  }

  LoopChoice const& choice_of(int32_t computation, int64_t budget) {
    Shape& shape = shapes_[size_t(shape_of_[size_t(computation)])];
    if (shape.budget != budget) {
      std::vector<LoopChoice> all =
          loop_choices(program_.configuration, computations_[size_t(computation)], budget);
      shape.choices = {best_choice(all, shape.uses)};
      shape.budget = budget;
    }
    return shape.choices.front();
  }

  double cycles_with(int64_t budget) {
    LoadModel loads(program_.configuration.depth(Memory::kUop));
    double cycles = 0;
    for (int32_t computation : made_.pieces_of_call) {
      if (computation < 0) continue;
      LoopChoice const& choice = choice_of(computation, budget);
      // Many instructions of one call: their kernels as one, which is all or nothing.
      int64_t size =
          choice.instructions > most_uops_ ? most_uops_ : choice.instructions * choice.uops;
      cycles += choice.cycles;
      if (loads.use(computation, size)) cycles += choice.load_cycles;
    }
    return cycles;
  }

  Status write_out(int64_t budget) {
    std::map<std::vector<uint32_t>, int32_t> known;
    for (size_t i = 0; i < computations_.size(); ++i) {
      LoopChoice const& choice = choice_of(int32_t(i), budget);
      if (choice.instructions > most_instructions_ ||
          choice.instructions > most_uops_ / choice.uops)
        return bad_input("stream_too_long",
                         fmt::format("call {} alone becomes {} instructions of {} micro-ops, more "
                                     "than one run takes",
                                     first_call_[i], choice.instructions, choice.uops));
      CallPieces pieces;
      for (Piece& piece : pieces_of(computations_[i], choice, budget)) {
        std::vector<uint32_t> key;
        for (MicroOp const& uop : piece.uops) key.insert(key.end(), {uop.dst, uop.src, uop.wgt});
        auto [one, is_new] = known.try_emplace(std::move(key), int32_t(known.size()));
        if (is_new) made_.kernels.push_back(std::move(piece.uops));
        pieces.nests.push_back(piece.nest);
        pieces.kernels.push_back(one->second);
      }
      made_.pieces.push_back(std::move(pieces));
    }
    return {};
  }

  CallProgram const& program_;
  int64_t most_instructions_, most_uops_;
  std::map<std::vector<int64_t>, int32_t> shape_numbers_, numbers_;
  std::vector<Shape> shapes_;
  std::vector<Computation> computations_;  ///< those that differ
  std::vector<int32_t> shape_of_;
  std::vector<size_t> first_call_;
  ProgramKernels made_;
};

}  // namespace

Result<ProgramKernels> make_kernels(CallProgram const& program, int64_t most_instructions,
                                    int64_t most_uops) {
  return KernelMaker(program, most_instructions, most_uops).make();
}

}  // namespace tw::vta
