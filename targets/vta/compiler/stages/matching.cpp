#include "targets/vta/compiler/stages/matching.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "targets/vta/compiler/stages/elements.h"

namespace tw::vta {
namespace {

constexpr size_t kMostIntervals = 1024;

/// An operand of a product: where its element is as the nest's loops run.
struct ProductOperand {
  TensorPlace place;
  int64_t base = 0;
  std::vector<int64_t> factors;  ///< of the nest's loops, in elements
  arith::Linear const* index = nullptr;
};

/// The operand's own axes must go through one element; the nest's loops from element to element.
Result<ProductOperand> operand_of(ir::Operand const& operand, Memory memory,
                                  std::vector<RunningLoop> const& loops,
                                  MatchContext const& context) {
  auto const& read = operand.value.to<ir::Load>();
  std::string const& name = read.buffer->name;
  auto place = context.places.find(name);
  if (place == context.places.end() || place->second.main || place->second.memory != memory)
    return refused("vta_place", fmt::format("{} must be in the memory '{}' to be multiplied", name,
                                            to_text(memory)));
  std::vector<RunningLoop> running = loops;
  for (ir::OperandAxis const& axis : operand.axes) {
    auto extent = value_of(axis.extent, context.standing);
    running.push_back({axis.name(), 0, extent.value_or(1)});
  }
  TRY_ASSIGN(Form form, context.indices.form(read, running, context.standing));
  int64_t scalars = scalars_of(context.configuration, memory);
  TRY_ASSIGN(Elements elements, Elements::create(running, form, scalars, name));
  ProductOperand result{place->second, form.base, {}, form.index};
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].extent() > 1 && form.factors[i] % scalars != 0)
      return refused("vta_element",
                     fmt::format("the loop {} moves {} by {} numbers, which is no whole element",
                                 loops[i].name, name, form.factors[i]));
    result.base += form.factors[i] * loops[i].low;
    result.factors.push_back(form.factors[i] / scalars);
  }
  if (result.base % scalars != 0)
    return refused("vta_element", fmt::format("{} is reached within an element", name));
  result.base = result.base / scalars + place->second.base;
  return result;
}

std::vector<std::pair<int64_t, int64_t>> steps_of(std::vector<RunningLoop> const& loops,
                                                  std::vector<int64_t> const& factors) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t i = 0; i < loops.size(); ++i) steps.emplace_back(factors[i], loops[i].extent());
  return steps;
}

}  // namespace

std::vector<Touched> elements_touched(Memory memory, int64_t base,
                                      std::vector<std::pair<int64_t, int64_t>> const& loops,
                                      bool write) {
  std::vector<std::pair<int64_t, int64_t>> sorted;
  for (auto const& one : loops)
    if (one.first != 0 && one.second > 1) sorted.push_back(one);
  std::ranges::sort(sorted);
  int64_t run = 1, reach = 0;
  size_t many = 1;
  std::vector<std::pair<int64_t, int64_t>> apart;
  for (auto const& [factor, extent] : sorted) {
    reach += factor * (extent - 1);
    // Steps no longer than what is covered already leave no gap.
    if (apart.empty() && factor > 0 && factor <= run) {
      run += factor * (extent - 1);
    } else {
      apart.emplace_back(factor, extent);
      many *= size_t(extent);
    }
  }
  bool negative = !sorted.empty() && sorted.front().first < 0;
  if (negative || many > kMostIntervals) {
    int64_t low = base;
    for (auto const& [factor, extent] : sorted) low += std::min<int64_t>(0, factor * (extent - 1));
    int64_t high = base;
    for (auto const& [factor, extent] : sorted) high += std::max<int64_t>(0, factor * (extent - 1));
    return {{memory, low, high + 1, write}};
  }
  std::vector<Touched> touched{{memory, base, base + run, write}};
  for (auto const& [factor, extent] : apart) {
    size_t count = touched.size();
    for (int64_t i = 1; i < extent; ++i)
      for (size_t k = 0; k < count; ++k)
        touched.push_back(
            {memory, touched[k].begin + i * factor, touched[k].end + i * factor, write});
  }
  return touched;
}

Result<std::vector<StageCall>> calls_of_product(ir::IntrinsicCall const& call,
                                                std::vector<RunningLoop> const& loops,
                                                MatchContext const& context) {
  if (call.operands.size() != 3)
    return refused("vta_expression", call.intrinsic->name + " is no product of this machine");
  TRY_ASSIGN(ProductOperand sums, operand_of(call.operands[0], Memory::kAcc, loops, context));
  TRY_ASSIGN(ProductOperand data, operand_of(call.operands[1], Memory::kInp, loops, context));
  TRY_ASSIGN(ProductOperand weights, operand_of(call.operands[2], Memory::kWgt, loops, context));
  StageCall stage;
  stage.call.kind = CallKind::kGemm;
  stage.call.dst = sums.base, stage.call.src = data.base, stage.call.wgt = weights.base;
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].extent() > 1)
      stage.call.loops.push_back(
          {loops[i].extent(), sums.factors[i], data.factors[i], weights.factors[i]});
  stage.indices = {sums.index, data.index, weights.index};
  uint8_t number = 0;
  for (auto const& [memory, operand] :
       {std::pair(Memory::kAcc, &sums), std::pair(Memory::kInp, &data),
        std::pair(Memory::kWgt, &weights)}) {
    for (Touched const& one : elements_touched(
             memory, operand->base, steps_of(loops, operand->factors), memory == Memory::kAcc))
      stage.touched.push_back({one.memory, one.begin, one.end, one.write, number});
    ++number;
  }
  return std::vector{std::move(stage)};
}

Result<std::vector<StageCall>> calls_of(Chain const& chain, MatchContext const& context) {
  TRY_ASSIGN(RunningNest nest, nest_of(chain, context.indices, context.standing));
  if (nest.empty()) return std::vector<StageCall>();
  if (auto const* store = chain.leaf.as<ir::Store>())
    return calls_of_store(*store, nest.loops, context);
  return calls_of_product(chain.leaf.to<ir::IntrinsicCall>(), nest.loops, context);
}

}  // namespace tw::vta
