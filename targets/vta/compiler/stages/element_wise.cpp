// Stores as calls: a copy is a transfer, a constant begins sums anew, everything else is computed
// element by element in ACC, over one of its operands.
#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "targets/vta/compiler/stages/matching.h"
#include "targets/vta/compiler/stages/operations.h"
#include "targets/vta/compiler/stages/transfers.h"

namespace tw::vta {
namespace {

using namespace ir;

constexpr int64_t kImmediateLimit = 1 << 15;
std::unexpected<Error> no_expression(std::string message) {
  return refused("vta_expression", std::move(message));
}

class StoreCalls {
public:
  StoreCalls(Store const& store, std::vector<RunningLoop> const& loops, MatchContext const& context)
      : store_(store), loops_(loops), context_(context) {}

  Result<std::vector<StageCall>> run() {
    TRY_ASSIGN(to_, place_of(store_.buffer));
    TRY_ASSIGN(Form form, context_.indices.form(store_, loops_, context_.standing));
    Memory memory = to_.main ? Memory::kAcc : to_.memory;
    TRY_ASSIGN(elements_, Elements::create(loops_, form, scalars_of(context_.configuration, memory),
                                           store_.buffer->name));
    TRY_ASSIGN(to_form_, elements_->of(form, store_.buffer->name));
    to_form_.base += to_.base;
    if (!to_.main) {
      TRY_ASSIGN(bool loaded, load());
      if (loaded) return std::move(calls_);
      if (to_.memory != Memory::kAcc)
        return no_expression(
            fmt::format("{} is in the memory '{}', which only copies of tensors "
                        "in main memory reach, not '{}'",
                        store_.buffer->name, to_text(to_.memory), to_text(store_.value)));
      TRY(compute_into(to_form_, store_.buffer.get(), store_.value));
      // Sums over a loop are one instruction, which goes through it; several would each go through
      // the whole loop.
      if (calls_.size() > 1 && !each_once(to_form_))
        return no_expression(
            fmt::format("{} is updated in several operations for each step of a "
                        "loop: make a stage of all but the last one",
                        store_.buffer->name));
      return std::move(calls_);
    }
    TRY(compute_and_store());
    return std::move(calls_);
  }

private:
  using Location = ElementForm;

  bool has_version_2() const { return context_.configuration.isa == IsaVersion::kV2; }

  Result<TensorPlace> place_of(Buffer const& buffer) const {
    auto found = context_.places.find(buffer->name);
    if (found == context_.places.end())
      return refused("vta_place", fmt::format("{} lies in the memory '{}', where the accelerator "
                                              "has no place for it",
                                              buffer->name, buffer->scope));
    return found->second;
  }

  // ---- copies into the accelerator ----------------------------------------------------------

  /// Whether the store was a copy out of main memory, perhaps with zeros around.
  Result<bool> load() {
    Expr value = store_.value;
    Expr condition;
    if (auto const* select = value.as<Select>(); select && is_zero(select->b))
      condition = select->condition, value = select->a;
    value = without_widening(value);
    auto const* read = value.as<Load>();
    if (!read) return false;
    TRY_ASSIGN(TensorPlace from, place_of(read->buffer));
    if (!from.main) return false;
    TRY_ASSIGN(Copy copy, copy_of(*read, from));
    copy.memory = to_.memory;
    bool bytes = read->buffer->type == DType::kI8;
    if (to_.memory == Memory::kAcc && bytes) {
      if (!context_.configuration.acc8) return no_bytes(read->buffer->name);
      copy.memory = Memory::kAccByte;
    }
    if (condition) TRY(keep_inside(copy, condition));
    TRY_ASSIGN(std::vector<StageCall> calls, transfers_of(std::move(copy)));
    std::ranges::move(calls, std::back_inserter(calls_));
    return true;
  }

  static std::unexpected<Error> no_bytes(std::string const& tensor) {
    return refused("vta_design",
                   fmt::format("{} is of bytes, which this design cannot load into '{}' (acc8 = "
                               "no): make it i32 in a kernel before this one",
                               tensor, kAccScope));
  }

  static bool is_zero(Expr const& e) { return is_int(e, 0); }

  Result<Copy> copy_of(Load const& read, TensorPlace const& from) {
    TRY_ASSIGN(Form form, context_.indices.form(read, loops_, context_.standing));
    Copy copy{.tensor = from.parameter, .loops = elements_->loops(), .sram = to_form_};
    TRY_ASSIGN(copy.dram, elements_->of(form, read.buffer->name));
    return copy;
  }

  /// Where the condition does not hold there are zeros.
  Status keep_inside(Copy& copy, Expr const& condition) {
    std::vector<RunningLoop> kept = loops_;
    TRY(shorten(kept, condition, context_.indices, context_.standing));
    for (ElementLoop const& loop : copy.loops) {
      RunningLoop const &all = loops_[loop.running], &part = kept[loop.running];
      bool whole = part.low == all.low && part.high == all.high;
      if (!whole && loop.step > 1)
        return refused("vta_guard",
                       fmt::format("zeros along {} begin within an element", loop.name));
      copy.inside.emplace_back(whole ? 0 : part.low - all.low,
                               whole ? loop.extent : part.high - all.low);
    }
    for (size_t i = 0; i < loops_.size(); ++i)  // loops of one iteration are no loops of the copy
      if (loops_[i].extent() == 1 && kept[i].extent() == 0) make_all_padding(copy);
    return {};
  }
  static void make_all_padding(Copy& copy) {
    if (copy.inside.empty()) {
      copy.loops.push_back({"", 1, 0, 1});
      copy.sram.factors.push_back(0), copy.dram.factors.push_back(0);
      copy.inside.emplace_back(0, 0);
    }
    for (auto& range : copy.inside) range = {0, 0};
  }

  // ---- arithmetic ---------------------------------------------------------------------------

  Result<Location> location_of(Load const& read) {
    TRY_ASSIGN(TensorPlace place, place_of(read.buffer));
    if (place.main || place.memory != Memory::kAcc)
      return no_expression(fmt::format(
          "{} is computed with, but lies in {}: only tensors in "
          "'{}' can be (cache_read, set_scope)",
          read.buffer->name, place.main ? "main memory" : to_text(place.memory), kAccScope));
    TRY_ASSIGN(Form form, context_.indices.form(read, loops_, context_.standing));
    TRY_ASSIGN(Location location, elements_->of(form, read.buffer->name));
    location.base += place.base;
    return location;
  }

  void add(StageCall stage, Location const& dst, Location const* src) {
    stage.call.dst = dst.base;
    std::vector<std::pair<int64_t, int64_t>> to, from;
    for (size_t i = 0; i < elements_->loops().size(); ++i) {
      int64_t extent = elements_->loops()[i].extent;
      stage.call.loops.push_back({extent, dst.factors[i], src ? src->factors[i] : 0, 0});
      to.emplace_back(dst.factors[i], extent);
      if (src) from.emplace_back(src->factors[i], extent);
    }
    stage.indices = {dst.index, src ? src->index : nullptr, nullptr};
    stage.touched = elements_touched(Memory::kAcc, dst.base, to, true);
    if (src) {
      stage.call.src = src->base;
      for (Touched const& one : elements_touched(Memory::kAcc, src->base, from, false))
        stage.touched.push_back({one.memory, one.begin, one.end, one.write, 1});
    }
    calls_.push_back(std::move(stage));
  }
  void reset(Location const& dst) {
    StageCall stage;
    stage.call.kind = CallKind::kGemm;
    stage.call.reset = true;
    add(std::move(stage), dst, nullptr);
  }
  Status with_tensor(AluOp op, Location const& dst, Location const& src,
                     OperandKind kind = OperandKind::kTensor) {
    TRY(check_operation(context_.configuration, op, kind, store_.buffer->name));
    StageCall stage;
    stage.call.kind = CallKind::kAlu;
    stage.call.alu = op;
    add(std::move(stage), dst, &src);
    return {};
  }
  /// Shifts that are farther than the design's are several.
  Status with_number(AluOp op, Location const& dst, int64_t number) {
    TRY(check_operation(context_.configuration, op, OperandKind::kNumber, store_.buffer->name));
    if (op != AluOp::kShr) return with_immediate_of(op, dst, number);
    for (int64_t part : shifts_of(context_.configuration, number))
      TRY(with_immediate_of(op, dst, part));
    return {};
  }
  Status with_immediate_of(AluOp op, Location const& dst, int64_t number) {
    if (number < -kImmediateLimit || number >= kImmediateLimit)
      return no_expression(
          fmt::format("the number {} has no room in an instruction, which takes "
                      "-32768 to 32767: give it as a tensor",
                      number));
    StageCall stage;
    stage.call.kind = CallKind::kAlu;
    stage.call.alu = op;
    stage.call.use_immediate = true;
    stage.call.immediate = int32_t(number);
    add(std::move(stage), dst, nullptr);
    return {};
  }

  /// Whether the expression is the element of `own` that lies at `dst`.
  Result<bool> is_there(Expr const& e, Location const& dst, BufferNode const* own) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name != own->name) return false;
    TRY_ASSIGN(Location at, location_of(*read));
    return at.base == dst.base && at.factors == dst.factors;
  }

  Status compute_into(Location const& dst, BufferNode const* own, Expr const& given) {
    Expr e = without_widening(given);
    TRY_ASSIGN(bool there, is_there(e, dst, own));
    if (there) return {};
    if (auto constant = as_int(e)) {
      if (has_version_2()) return with_number(AluOp::kMove, dst, *constant);
      reset(dst);
      return *constant == 0 ? Status() : with_number(AluOp::kAdd, dst, *constant);
    }
    if (auto const* read = e.as<Load>()) {
      TRY_ASSIGN(Location from, location_of(*read));
      if (!has_version_2()) reset(dst);
      return with_tensor(has_version_2() ? AluOp::kMove : AluOp::kAdd, dst, from);
    }
    auto const* node = e.as<Binary>();
    if (!node)
      return no_expression(
          fmt::format("'{}' is nothing that the accelerator computes; it "
                      "has +, *, min, max and shifts",
                      to_text(e)));
    return compute_binary(dst, own, *node, e);
  }

  Status compute_binary(Location const& dst, BufferNode const* own, Binary const& node,
                        Expr const& e) {
    if (auto within = clamped(e); within && has_version_2() && within->low == -within->high) {
      TRY(compute_into(dst, own, within->value));
      return with_number(AluOp::kClip, dst, within->high);
    }
    if (auto number = as_int(node.b)) {
      auto operation = with_immediate(node.op, *number);
      if (!operation) return unknown(e);
      TRY(compute_into(dst, own, node.a));
      return with_number(operation->op, dst, operation->immediate);
    }
    Expr a = without_widening(node.a), b = without_widening(node.b);
    if (commutes(node.op) && as_int(a))
      return compute_into(dst, own, binary(node.op, node.b, node.a));
    auto op = operation(node.op);
    if (!op) return unknown(e);
    // What is computed over comes first.
    if (commutes(node.op) && (reads(b, own) || (a.as<Load>() && !reads(a, own)))) std::swap(a, b);
    if (reads(b, own))
      return no_expression(fmt::format("'{}' needs {} twice; make one side a stage of its own",
                                       to_text(e), own->name));
    TRY_ASSIGN(Location from, computed(b));
    TRY(compute_into(dst, own, a));
    return with_tensor(*op, dst, from, kind_of_tensor(context_.configuration, b));
  }

  /// Where the value of an operand is: as it lies, or over a tensor of its own that nobody needs
  /// any more.
  Result<Location> computed(Expr const& e) {
    if (auto const* read = e.as<Load>()) return location_of(*read);
    TRY_ASSIGN(std::optional<Location> bounded, bounded_in_place(e));
    if (bounded) return *bounded;
    std::vector<Load const*> candidates;
    find_spines(e, candidates);
    for (Load const* read : candidates) {
      TRY_ASSIGN(bool may, may_overwrite(*read));
      if (!may) continue;
      TRY_ASSIGN(Location at, location_of(*read));
      TRY(compute_into(at, read->buffer.get(), e));
      return at;
    }
    return no_expression(
        fmt::format("'{}' is computed beside another operand, over no tensor of "
                    "its own; make it a stage, or copy what it reads (cache_read)",
                    to_text(e)));
  }

  /// Read for the last time, in one place, each element once.
  Result<bool> may_overwrite(Load const& read) {
    TRY_ASSIGN(TensorPlace place, place_of(read.buffer));
    if (place.main || !place.last_use || times_read(read) != 1) return false;
    TRY_ASSIGN(Location at, location_of(read));
    return each_once(at);
  }

  int times_read(Load const& read) const {
    int times = 0;
    walk(store_.value, [&](Expr const& e) {
      auto const* other = e.as<Load>();
      times += other && other->buffer->name == read.buffer->name;
      return true;
    });
    return times;
  }

  /// Bounds of what is read several times lie where that lies: holding it within them again changes
  /// nothing. Empty: the expression is something else.
  Result<std::optional<Location>> bounded_in_place(Expr const& e) {
    auto within = clamped(e);
    auto const* read = within ? within->value.as<Load>() : nullptr;
    if (!read || read->buffer->type != DType::kI32) return std::nullopt;
    TRY_ASSIGN(TensorPlace place, place_of(read->buffer));
    if (place.main || !place.only_reader || times_read(*read) != 1) return std::nullopt;
    TRY_ASSIGN(Location at, location_of(*read));
    size_t first = calls_.size();
    TRY(with_number(AluOp::kMax, at, within->low));
    TRY(with_number(AluOp::kMin, at, within->high));
    for (size_t i = first; i < calls_.size(); ++i)  // once is enough
      for (CallLoop& loop : calls_[i].call.loops)
        if (loop.dst == 0) loop.extent = 1;
    return at;
  }

  static bool reads(Expr const& e, BufferNode const* own) {
    bool found = false;
    walk(e, [&](Expr const& part) {
      auto const* read = part.as<Load>();
      found = found || (read && read->buffer->name == own->name);
      return !found;
    });
    return found;
  }

  std::unexpected<Error> unknown(Expr const& e) const {
    return no_expression(
        fmt::format("'{}' is no operation of the accelerator; it has +, *, min, "
                    "max and shifts",
                    to_text(e)));
  }

  // ---- results ------------------------------------------------------------------------------

  /// Tensors that the value may be computed over: read for the last time, each element once.
  void find_spines(Expr const& given, std::vector<Load const*>& found) const {
    Expr e = without_widening(given);
    if (auto const* read = e.as<Load>()) found.push_back(read);
    auto const* node = e.as<Binary>();
    if (!node) return;
    find_spines(node->a, found);
    if (!as_int(node->b) && commutes(node->op)) find_spines(node->b, found);
  }

  bool each_once(Location const& at) const {
    std::vector<std::pair<int64_t, int64_t>> steps;
    for (size_t i = 0; i < at.factors.size(); ++i)
      steps.emplace_back(at.factors[i], elements_->loops()[i].extent);
    std::ranges::sort(steps);
    int64_t covered = 1;
    for (auto const& [factor, extent] : steps) {
      if (factor < covered) return false;
      covered = factor * (extent - 1) + covered;
    }
    return true;
  }

  Status compute_and_store() {
    Expr value = store_.value;
    if (store_.buffer->type != DType::kI8)
      return no_expression(fmt::format("{} is {} in main memory; the accelerator stores i8 alone",
                                       store_.buffer->name, tw::to_text(store_.buffer->type)));
    if (auto const* cast = value.as<Cast>(); cast && cast->a.type() == DType::kI32) value = cast->a;
    // What a saturating store does anyway.
    auto within = clamped(value);
    saturate_ = has_version_2() && within && within->low == -128 && within->high == 127;
    if (saturate_) value = within->value;
    std::vector<Load const*> candidates;
    find_spines(value, candidates);
    if (candidates.empty()) return unknown(store_.value);
    for (Load const* read : candidates) {
      TRY_ASSIGN(Location at, location_of(*read));
      TRY_ASSIGN(bool may, may_overwrite(*read));
      bool as_it_is = read == value.as<Load>();  // nothing is computed over it
      if (!may && !as_it_is) continue;
      TRY(compute_into(at, read->buffer.get(), value));
      return store(at);
    }
    return no_expression(
        fmt::format("{} is computed over one of its operands, but {} is used "
                    "again; copy it first (cache_write to '{}')",
                    store_.buffer->name, candidates[0]->buffer->name, kAccScope));
  }

  Status store(Location const& from) {
    // OUT follows ACC only where something was computed.
    if (calls_.empty()) TRY(with_number(AluOp::kShr, from, 0));
    Copy copy{.memory = Memory::kOut,
              .tensor = to_.parameter,
              .loops = elements_->loops(),
              .sram = from,
              .dram = to_form_,
              .load = false,
              .saturate = saturate_};
    TRY_ASSIGN(std::vector<StageCall> calls, transfers_of(std::move(copy)));
    std::ranges::move(calls, std::back_inserter(calls_));
    return {};
  }

  Store const& store_;
  std::vector<RunningLoop> const& loops_;
  MatchContext const& context_;
  TensorPlace to_;
  std::optional<Elements> elements_;
  Location to_form_;
  std::vector<StageCall> calls_;
  bool saturate_ = false;  ///< what leaves for main memory
};

}  // namespace

Result<std::vector<StageCall>> calls_of_store(Store const& store,
                                              std::vector<RunningLoop> const& loops,
                                              MatchContext const& context) {
  return StoreCalls(store, loops, context).run();
}

}  // namespace tw::vta
