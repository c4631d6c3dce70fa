#include "engine/graph/rounding.h"

#include <algorithm>
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/te/narrow.h"

namespace tw {
namespace {

using te::is_narrow;
using te::only_chooses;

/// Whether a stage adds, multiplies, ... in a narrow type.
bool rounds(te::Stage const& stage) {
  bool adds = stage.combiner == te::Combiner::kSum || stage.combiner == te::Combiner::kProd;
  bool found = adds && is_narrow(stage.output->type);
  ir::walk(stage.body, [&](ir::Expr const& e) {
    found = found || (is_narrow(e.type()) && !only_chooses(e));
    return !found;
  });
  return found;
}

/// The expression of f32 in the narrow type, when it is nothing but a choice between values of that
/// type; null: it is more.
ir::Expr narrowed(ir::Expr const& e, DType type) {
  if (auto const* node = e.as<ir::Cast>(); node && node->a.type() == type) return node->a;
  if (auto const* node = e.as<ir::FloatImm>()) {
    ir::Expr same = ir::float_imm(node->value, type);
    return same.to<ir::FloatImm>().value == node->value ? same : ir::Expr();
  }
  if (auto const* node = e.as<ir::Select>()) {
    ir::Expr a = narrowed(node->a, type), b = narrowed(node->b, type);
    return !a || !b ? ir::Expr() : ir::select(node->condition, a, b);
  }
  if (!only_chooses(e)) return {};
  if (auto const* node = e.as<ir::Binary>()) {
    ir::Expr a = narrowed(node->a, type), b = narrowed(node->b, type);
    return !a || !b ? ir::Expr() : ir::binary(node->op, a, b);
  }
  if (auto const* node = e.as<ir::Unary>()) {
    ir::Expr a = narrowed(node->a, type);
    return a ? ir::unary(node->op, a) : ir::Expr();
  }
  return {};
}

/// The operator's stages as they are for operands of f32, put over operands that are narrow.
class Widened {
public:
  Widened(std::span<te::Buffer const> inputs, Tensors const& plain) {
    for (te::Buffer const& input : inputs) {
      wide_inputs.push_back(input && is_narrow(input->type) ? retyped(input, DType::kF32) : input);
      if (wide_inputs.back() == input) continue;
      operands_[wide_inputs.back().get()] = input;
      narrow_ = input->type;
    }
    for (te::Buffer const& output : plain.outputs) types_.push_back(output->type);
  }

  Tensors apply(Tensors const& wide) {
    wide_ = &wide;
    for (size_t i = 0; i < wide.stages.size(); ++i) {
      te::Stage stage = wide.stages[i];
      stage.body = over_operands(stage.body);
      std::optional<DType> type = output_type(stage.output->name);
      bool promised = type && is_narrow(*type) && stage.output->type == DType::kF32;
      DType wished = type.value_or(narrow_);
      if (!is_narrow(wished) || !add_narrow(stage, wished))
        promised ? add_rounded(std::move(stage), *type) : result_.stages.push_back(stage);
      // A recurrence stays together: what rounds its tensors comes behind all of it.
      bool goes_on = i + 1 < wide.stages.size() && wide.stages[i + 1].scan == te::Scan::kJoins;
      if (goes_on) continue;
      std::ranges::move(behind_, std::back_inserter(result_.stages));
      behind_.clear();
    }
    for (te::Buffer const& output : wide.outputs) {
      auto found = made_.find(output->name);
      result_.outputs.push_back(found == made_.end() ? output : found->second);
    }
    return std::move(result_);
  }

  std::vector<te::Buffer> wide_inputs;

private:
  static te::Buffer retyped(te::Buffer const& buffer, DType type) {
    auto copy = std::make_shared<ir::BufferNode>(*buffer);
    copy->type = type;
    return copy;
  }

  /// Reads of operands and of tensors that stayed narrow, in f32.
  ir::Expr over_operands(ir::Expr const& body) const {
    return ir::rewrite(body, [&](ir::Expr const& e) -> ir::Expr {
      auto const* read = e.as<ir::Load>();
      if (!read) return {};
      if (auto found = operands_.find(read->buffer.get()); found != operands_.end())
        return ir::cast(DType::kF32, ir::load(found->second, read->indices));
      auto kept = kept_.find(read->buffer->name);
      if (kept == kept_.end() || is_operand(read->buffer)) return {};
      return ir::cast(DType::kF32, ir::load(kept->second, read->indices));
    });
  }

  /// An operand may have the name of a tensor that the operator makes.
  bool is_operand(te::Buffer const& buffer) const {
    return std::ranges::find(wide_inputs, buffer) != wide_inputs.end();
  }

  std::optional<DType> output_type(std::string const& name) const {
    for (size_t i = 0; i < wide_->outputs.size() && i < types_.size(); ++i)
      if (wide_->outputs[i]->name == name) return types_[i];
    return std::nullopt;
  }

  bool is_read(std::string const& name) const {
    bool found = false;
    for (te::Stage const& stage : wide_->stages)
      ir::walk(stage.body, [&](ir::Expr const& e) {
        auto const* read = e.as<ir::Load>();
        found = found || (read && read->buffer->name == name && !is_operand(read->buffer));
        return !found;
      });
    return found;
  }

  /// Adds the stage in the narrow type when it loses nothing.
  bool add_narrow(te::Stage const& stage, DType type) {
    bool joins = stage.combiner == te::Combiner::kSum || stage.combiner == te::Combiner::kProd;
    if (joins || stage.ordered() || stage.output->type != DType::kF32) return false;
    ir::Expr body = narrowed(stage.body, type);
    if (!body) return false;
    te::Buffer output = retyped(stage.output, type);
    kept_[output->name] = made_[output->name] = output;
    te::Stage narrow = stage;
    narrow.body = body;
    narrow.output = output;
    result_.stages.push_back(std::move(narrow));
    return true;
  }

  /// Rounds an output: in its own stage where nobody else wants the exact values.
  void add_rounded(te::Stage stage, DType type) {
    std::string const name = stage.output->name;
    bool alone = stage.combiner == te::Combiner::kNone && !stage.ordered() && !is_read(name);
    if (alone) {
      stage.body = ir::cast(type, stage.body);
      stage.output = made_[name] = retyped(stage.output, type);
    } else {
      ir::Expr exact = ir::load(stage.output, te::vars(stage.axes));
      behind_.push_back(te::compute(name + "_rounded", stage.axes, ir::cast(type, exact), "round"));
      made_[name] = behind_.back().output;
    }
    result_.stages.push_back(std::move(stage));
  }

  DType narrow_ = DType::kF32;
  std::vector<DType> types_;  ///< of the outputs, as they are promised
  Tensors const* wide_ = nullptr;
  std::map<ir::BufferNode const*, te::Buffer> operands_;
  std::map<std::string, te::Buffer> kept_, made_;
  std::vector<te::Stage> behind_;
  Tensors result_;
};

}  // namespace

Result<Tensors> compute_rounding_once(Operator const& op, Attributes const& attributes,
                                      Arrangement const& arrangement,
                                      std::span<te::Buffer const> inputs, std::string const& name) {
  TRY_ASSIGN(Tensors plain, compute_tensors(op, attributes, arrangement, inputs, name));
  bool narrow = std::ranges::any_of(
      inputs, [](te::Buffer const& input) { return input && is_narrow(input->type); });
  if (!narrow || std::ranges::none_of(plain.stages, rounds)) return plain;
  Widened widened(inputs, plain);
  TRY_ASSIGN(Tensors wide, compute_tensors(op, attributes, arrangement, widened.wide_inputs, name));
  return widened.apply(wide);
}

namespace {

Result<NDArray> as_type(NDArray const& array, DType type) {
  if (array.empty() || array.type() == type) return array;
  TRY_ASSIGN(NDArray result, NDArray::create(type, array.shape()));
  for (int64_t i = 0; i < result.size(); ++i) result.set_value(i, array.value_at(i));
  return result;
}

}  // namespace

Result<std::vector<NDArray>> reference_rounding_once(Operator const& op,
                                                     Attributes const& attributes,
                                                     std::span<NDArray const> inputs,
                                                     std::span<TensorInfo const> outputs) {
  auto wanted = [](TensorInfo const& info) { return is_narrow(info.type); };
  if (std::ranges::none_of(outputs, wanted)) return op.reference(attributes, inputs);
  std::vector<NDArray> wide;
  for (NDArray const& input : inputs) {
    TRY_ASSIGN(NDArray operand,
               as_type(input, is_narrow(input.type()) ? DType::kF32 : input.type()));
    wide.push_back(std::move(operand));
  }
  TRY_ASSIGN(std::vector<NDArray> results, op.reference(attributes, wide));
  for (size_t i = 0; i < results.size() && i < outputs.size(); ++i) {
    TRY_ASSIGN(results[i], as_type(results[i], outputs[i].type));
  }
  return results;
}

}  // namespace tw
