#include "engine/compile/exact_stages.h"

#include <algorithm>
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/te/narrow.h"

namespace tw {
namespace {

bool is_rounding(ir::Expr const& e) {
  auto const* cast = e.as<ir::Cast>();
  return cast && te::is_narrow(cast->type) && cast->a.type() == DType::kF32;
}

int roundings(ir::Expr const& body) {
  int count = 0;
  ir::walk(body, [&](ir::Expr const& e) { return count += is_rounding(e), true; });
  return count;
}

class Unrounded {
public:
  Unrounded(te::Kernel const& kernel, std::set<std::string> const& asked)
      : kernel_(kernel), asked_(asked) {}

  te::Kernel apply() {
    std::vector<te::Stage> stages;
    for (te::Stage stage : kernel_.stages) {
      stage.body = over_exact(stage.body);
      if (ir::Expr exact = exact_body(stage)) {
        te::Buffer same = copied(stage, exact);
        exact_[stage.output->name] = same ? same : retyped(stage.output);
        if (same) continue;
        stage.output = exact_[stage.output->name];
        stage.body = exact;
      }
      stages.push_back(std::move(stage));
    }
    te::Kernel result = kernel_;
    result.stages = std::move(stages);
    return result;
  }

private:
  /// The body with reads of what is kept exactly; a conversion to f32 of such a read is the read.
  ir::Expr over_exact(ir::Expr const& body) const {
    return ir::rewrite(body, [&](ir::Expr const& e) -> ir::Expr {
      if (auto const* read = e.as<ir::Load>()) {
        auto found = exact_.find(read->buffer->name);
        return found == exact_.end()
                   ? ir::Expr()
                   : ir::cast(read->buffer->type, ir::load(found->second, read->indices));
      }
      auto const* wide = e.as<ir::Cast>();
      if (!wide || wide->type != DType::kF32 || !is_rounding(wide->a)) return {};
      ir::Expr const& rounded = wide->a.as<ir::Cast>()->a;
      return is_exact(rounded.as<ir::Load>()) ? rounded : ir::Expr();
    });
  }

  bool is_exact(ir::Load const* read) const {
    return read && std::ranges::any_of(
                       exact_, [&](auto const& kept) { return kept.second == read->buffer; });
  }

  /// What the stage makes before it is rounded for the next one; null: it is not, or has to be.
  ir::Expr exact_body(te::Stage const& stage) const {
    te::Buffer const& output = stage.output;
    bool inner = std::ranges::none_of(
        kernel_.outputs, [&](te::Buffer const& stored) { return stored->name == output->name; });
    if (!inner || asked_.contains(output->name) || !te::is_narrow(output->type) ||
        stage.combiner != te::Combiner::kNone || stage.ordered())
      return {};
    ir::Expr exact = te::widened(stage.body, te::Conversions::kDropped);
    return roundings(exact) < roundings(stage.body) ? exact : ir::Expr();
  }

  /// The tensor that has the same elements in the same places; null: there is none.
  static te::Buffer copied(te::Stage const& stage, ir::Expr const& exact) {
    auto const* read = exact.as<ir::Load>();
    bool same = read && ir::constant_shape(*read->buffer) == ir::constant_shape(*stage.output) &&
                ir::equal(exact, ir::load(read->buffer, te::vars(stage.axes)));
    return same ? read->buffer : nullptr;
  }

  static te::Buffer retyped(te::Buffer const& buffer) {
    auto wide = std::make_shared<ir::BufferNode>(*buffer);
    wide->type = DType::kF32;
    return wide;
  }

  te::Kernel const& kernel_;
  std::set<std::string> const& asked_;
  std::map<std::string, te::Buffer> exact_;  ///< by the name of the rounded tensor
};

}  // namespace

te::Kernel rounded_at_the_end(te::Kernel const& kernel, std::set<std::string> const& asked) {
  return Unrounded(kernel, asked).apply();
}

}  // namespace tw
